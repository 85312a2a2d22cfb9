# All builds share one cache, so that no target compiles Kubernetes a second time: CGO_ENABLED=0 -trimpath everywhere.
export CGO_ENABLED := 0
GO       ?= go
BINARY   ?= bin/gardener
VERSION  ?= $(shell hack/version/version.sh)
KUBERNETES_VERSION := v$(shell awk '$$1 == "k8s.io/kubernetes" { sub(/^v/, "", $$2); print $$2 }' go.mod)
COMPONENT_BASE := k8s.io/component-base/version
LDFLAGS  := -s -w -X github.com/gardener-up/gardener-up/cmd/gardener/app.Version=$(VERSION) \
            -X github.com/gardener-up/gardener-up/embedded/image.Version=$(VERSION) \
            -X $(COMPONENT_BASE).gitVersion=$(KUBERNETES_VERSION) -X $(COMPONENT_BASE).gitMajor=1 \
            -X $(COMPONENT_BASE).gitMinor=$(word 2,$(subst ., ,$(KUBERNETES_VERSION))) -X $(COMPONENT_BASE).gitTreeState=clean

.DEFAULT_GOAL := help
.PHONY: help build up down test unit e2e test-engines test-nodes race soak generate verify bench bench-kind bench-api bench-snapshots conformance clean kind-docker kind-image release release-modules

help: ## Show the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# TAGS=nextformat makes a newer release for tests of upgrades.
build: ## Build the one binary (bin/gardener)
	$(GO) run -trimpath ./hack/sandbox
	$(GO) build -trimpath -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o $(BINARY) ./cmd/gardener

up: build ## Build if needed and bring up the landscape
	$(BINARY) up

down: ## Stop the landscape
	$(BINARY) down

# `make verify` vets everything, with more checks than go test has.
TEST := $(GO) test -trimpath -vet=off

test: unit e2e ## Run all tests: unit, integration and end to end

# Tests with servers wait half of their time, so on two cores three packages run side by side.
SIDE_BY_SIDE := -p 3

# In tests of controllers a cache ends the process when somebody changes an object in it. With RACED=yes, as in CI, other tests are not repeated
# after `make race`.
unit: build ## Run all tests but the end-to-end ones
	raced="$(if $(RACED),$$($(GO) list $(RACE)))"; \
	GARDENER_BIN=$(abspath $(BINARY)) $(TEST) $(SIDE_BY_SIDE) -timeout 20m $$($(GO) list ./... | grep -Ev '/e2e/|/controllers/' | grep -vxF "$${raced:-none}")
	cd embedded/prometheus/program && $(TEST) ./...
	KUBE_CACHE_MUTATION_DETECTOR=true GARDENER_BIN=$(abspath $(BINARY)) $(TEST) $(SIDE_BY_SIDE) -timeout 20m ./controllers/...

# Landscapes of two packages run side by side: each has its own state, ports and address ranges. With three of them, what takes a second takes ten,
# and tests fail. The longest come first, so that one of them does not run alone in the end.
LONGEST := kind documents seeds daytwo faults tour containers rows backup settings trust
e2e: build ## Run the end-to-end tests over the built binary, two packages at a time
	GARDENER_BIN=$(abspath $(BINARY)) $(TEST) -p 2 -timeout 75m $(LONGEST:%=./e2e/%) ./e2e/...

# Packages with goroutines of ours that build without k8s.io/kubernetes. The longest comes first.
RACE := ./embedded/gardenapi/integration ./appliance/component ./appliance/daemon ./controllers/autoscaler/... ./controllers/callback ./controllers/internal/flow \
        ./embedded/callback ./embedded/dns ./embedded/frontdoor ./embedded/gardenapi/... ./embedded/node/runtime ./embedded/podreach ./embedded/serviceproxy ./embedded/tunnel
race: build ## Run the tests of what starts goroutines with the race detector; needs a C compiler
	CGO_ENABLED=1 GARDENER_BIN=$(abspath $(BINARY)) $(TEST) $(SIDE_BY_SIDE) -race -timeout 20m $(RACE)

# QUICK=yes makes one short round of what takes long, as in CI: it shows that it works, and its figures say nothing.
KILLS    ?= $(if $(QUICK),1,10)
FUZZTIME ?= $(if $(QUICK),20x,2m)
# The quick ones are those that link no server.
FUZZ     ?= $(if $(QUICK),./embedded/apis/internal/wire ./embedded/guardeddial ./local/userdata,$(shell grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u))
soak: build ## Repeat for long what test does briefly: killed daemons, creations and migrations (KILLS=...), all steps on kind and a bootstrap, and fuzzing (FUZZTIME=...)
	$(if $(QUICK),: make e2e kills daemons,GARDENER_TEST_KILLS=$(KILLS) GARDENER_BIN=$(abspath $(BINARY)) $(GO) test -trimpath -count 1 -v -timeout 45m -run '^TestKilledDaemon$$' ./e2e/faults)
	$(if $(QUICK),: make e2e deletes shoots in the middle of their creation,GARDENER_TEST_KILLS=$(KILLS) GARDENER_BIN=$(abspath $(BINARY)) $(GO) test -trimpath -count 1 -v -timeout 90m -run '^TestKilledCreations$$' ./e2e/daytwo)
	$(if $(QUICK),: make e2e kills migrations,GARDENER_TEST_KILLS=$(KILLS) GARDENER_BIN=$(abspath $(BINARY)) $(GO) test -trimpath -count 1 -v -timeout 2h -run '^TestSeeds$$/(further_seed|shared_between|killed_at_once|sleeps_on)' ./e2e/seeds)
	$(if $(QUICK),: takes two kind clusters,GARDENER_TEST_LONG=yes GARDENER_BIN=$(abspath $(BINARY)) $(GO) test -trimpath -count 1 -v -p 1 -timeout 3h ./e2e/kind ./e2e/bootstrap)
	GARDENER_TEST_KILLS=$(KILLS) $(GO) test -trimpath -count 1 -v -timeout 45m -run '^TestProperty$$' ./embedded/backuprestore/integration
	GO=$(GO) hack/soak/fuzz.sh $(FUZZTIME) $(FUZZ)

# The quick one installs and starts an engine, and asks whether the machine is fit.
ENGINES  ?= $(if $(QUICK),podman,podman nerdctl)
test-engines: build ## Run landscapes on podman and nerdctl (ENGINES=...); no part of test, needs root
	GARDENER_BIN=$(abspath $(BINARY)) GARDENER_TEST_ENGINES="$(ENGINES)" $(if $(QUICK),GARDENER_TEST_SHORT=yes) $(GO) test -trimpath -vet=off -count 1 -v -timeout 2h ./e2e/engines

# The file has a build tag, since no CI has the time and the memory.
test-nodes: build ## Stop each node of a kind seed with three nodes while a client polls a shoot; no part of test, needs Docker
	GARDENER_BIN=$(abspath $(BINARY)) $(GO) test -trimpath -tags nodes -count 1 -v -timeout 90m -run '^TestNodes$$' ./e2e/kind

# The same commit gives the same files: times are that of the commit. Everything but the working tree comes from the module cache.
RELEASE ?= bin/release
# The quick one packs the binary that is built, for this machine, and compresses fast.
ARCHITECTURES ?= $(if $(QUICK),$(shell $(GO) env GOARCH),amd64,arm64)
release: $(if $(QUICK),build)
release: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
release: ## Make a release for each architecture, with packages, image, lists of modules and digests (RELEASE=..., ARCHITECTURES=...); needs no network
	$(GO) run -trimpath ./hack/release -version '$(VERSION)' -ldflags '$(LDFLAGS)' -architectures $(ARCHITECTURES) -into $(RELEASE) $(if $(QUICK),-binary $(BINARY) -fast)

# The quick ones are those of the packager.
RELEASE_MODULES := $(if $(QUICK),,. embedded/sandbox/program embedded/prometheus/program) hack/release/packages
release-modules: ## Download all modules that a release needs, once
	for module in $(RELEASE_MODULES); do (cd $$module && $(GO) mod download) || exit; done

generate: ## Generate deep copies, defaults, OpenAPI and CRDs
	bash hack/generate/generate.sh

verify: generate ## Generate, check format and code, and expect a clean tree
	test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet -trimpath ./...
	$(GO) run -trimpath ./hack/lint ./...
	$(GO) mod tidy -diff
	cd embedded/sandbox/program && $(GO) vet -trimpath ./... && $(GO) mod tidy -diff
	cd embedded/prometheus/program && $(GO) vet -trimpath ./... && $(GO) mod verify
	cd hack/release/packages && $(GO) vet -trimpath ./...
	git diff --exit-code
	test -z "$$(git status --porcelain)"

bench: build ## Measure start, memory and shoots next to bare servers
	GARDENER_BIN=$(abspath $(BINARY)) $(GO) run -trimpath ./hack/bench $(if $(QUICK),-quick -only starts)

bench-kind: build ## Measure a landscape on kind next to kind create cluster; needs Docker or root
	@hack/kind/docker.sh start
	@eval "$$(hack/kind/docker.sh env)" && image=$$(nice $(GO) run -trimpath ./hack/kind/nodeimage) && \
	GARDENER_BIN=$(abspath $(BINARY)) $(GO) run -trimpath ./hack/bench/kind -image "$$image" $(if $(QUICK),-n 1 -shoot=false)

kind-docker: ## Make Docker work for tests on kind; prints the line for eval
	@hack/kind/docker.sh start
	@hack/kind/docker.sh env

kind-image: ## Build the node image for tests on kind, or find it; prints its tag
	@eval "$$(hack/kind/docker.sh env)" && nice $(GO) run -trimpath ./hack/kind/nodeimage

bench-api: build ## Measure the Gardener API server with 5,000 Shoots next to ConfigMaps
	GARDENER_BIN=$(abspath $(BINARY)) $(GO) run -trimpath ./hack/bench/api $(if $(QUICK),-objects 40 -turn 10 -lists 1 -settle 1s)

bench-snapshots: ## Measure snapshots and restorations of an etcd of 1 GiB next to etcdctl and etcdutl
	$(GO) run -trimpath ./hack/bench/snapshots $(if $(QUICK),-size 4 -n 1)

conformance: build ## Run Kubernetes' conformance tests against a shoot (CONFORMANCE=flags) and write docs/conformance.md; takes hours
	GARDENER_BIN=$(abspath $(BINARY)) $(GO) run -trimpath ./hack/conformance $(if $(QUICK),-quick) $(CONFORMANCE)

clean: ## Remove what was built
	rm -rf bin
