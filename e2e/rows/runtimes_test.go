package rows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// offerRuntimes adds container runtimes to the profile, among them one that only a registration knows.
func offerRuntimes(f *fixture) {
	f.Kubectl(f.Garden(), "apply", "-f", f.File("wasm.yaml", `apiVersion: core.gardener.cloud/v1beta1
kind: ControllerRegistration
metadata: {name: wasm}
spec:
  resources: [{kind: ContainerRuntime, type: wasm}]
`))
	f.Kubectl(f.Garden(), "patch", "cloudprofile", "rows", "--type=json", "-p", `[
		{"op":"add","path":"/spec/machineImages/0/versions/0/cri/0/containerRuntimes","value":[{"type":"gvisor"},{"type":"kata-containers"},{"type":"wasm"}]},
		{"op":"add","path":"/spec/machineTypes/-","value":{"name":"i3.metal","cpu":"1","gpu":"0","memory":"4Gi","architecture":"amd64","usable":true}},
		{"op":"add","path":"/spec/kubernetes/versions/-","value":{"version":"1.13.12","classification":"deprecated"}}]`)
}

func impossibleRuntimes(t *testing.T, f *fixture) {
	offerRuntimes(f)
	const shoot = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: runner, namespace: garden-local}
spec:
  cloudProfileName: rows
  secretBindingName: rows
  region: local
  kubernetes: {version: %s}
  networking: {type: calico, nodes: 10.10.0.0/16}
  provider:
    type: local
    workers:
    - {name: one, minimum: 1, maximum: 1, machine: {type: %s, image: {name: local, version: 1.0.0}}, cri: {name: containerd, containerRuntimes: [{type: %s}]}}
`
	for name, tc := range map[string]struct{ version, machine, runtime, want string }{
		"CTR-9 virtual machines need machines in which they run": {kubeversion.Number, "local", "kata-containers", "kata-containers runs virtual machines"},
		"CTR-9 and run there":                                  {kubeversion.Number, "i3.metal", "kata-containers", ""},
		"CTR-9 others run anywhere":                            {kubeversion.Number, "local", "gvisor", ""},
		"CTR-5 Kubernetes before 1.14 has no further runtimes": {"1.13.12", "local", "gvisor", "need at least Kubernetes 1.14"},
		"CTR-10 a runtime that nobody registered is unknown":   {kubeversion.Number, "local", "unknown", "unknown"},
	} {
		r := f.TryKubectl(f.Garden(), "create", "--dry-run=server", "-f", f.File("runner.yaml", fmt.Sprintf(shoot, tc.version, tc.machine, tc.runtime)))
		if refused := r.Code != 0; refused != (tc.want != "") || !strings.Contains(r.Stderr, tc.want) {
			t.Errorf("%s: code %d, %s", name, r.Code, r.Stderr)
		}
	}
}

// runtimes gives one of two pools container runtimes, one of which the test itself handles.
func runtimes(t *testing.T, f *fixture) {
	const path = "/spec/provider/workers/0/cri/containerRuntimes"
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--type=json", "-p",
		fmt.Sprintf(`[{"op":"add","path":%q,"value":[{"type":"gvisor"},{"type":"wasm","providerConfig":{"unknown":"wasm"}}]}]`, path))
	f.Eventually(2*time.Minute, "the pool has its runtimes", func() (bool, string) {
		got := f.seed("containerruntimes", `{range .items[*]}{.metadata.name}={.status.lastOperation.state} {end}`)
		return strings.Contains(got, "gvisor-one=Succeeded") && strings.Contains(got, "wasm-one="), got
	})
	if got := strings.Fields(f.seed("containerruntimes", "{.items[*].metadata.name}")); !slices.Equal(got, []string{"gvisor-one", "wasm-one"}) {
		t.Errorf("CTR-1 CTR-6 objects are %v", got)
	}
	if got := f.seed("containerruntime/wasm-one", "{.spec.type} {.spec.binaryPath} {.spec.workerPool.name} {.spec.workerPool.selector.matchLabels} {.spec.providerConfig}"); got != `wasm /var/bin/containerruntimes one {"worker.gardener.cloud/pool":"one"} {"unknown":"wasm"}` {
		t.Errorf("CTR-6 the object says %s", got)
	}
	if state := f.garden("shoot/rows", "{.status.lastOperation.state}"); state != "Processing" {
		t.Errorf("CTR-6 the shoot does not wait for the runtime that nobody has answered: %s", state)
	}
	f.Kubectl(f.Seed(), "-n", technical, "annotate", "containerruntime", "wasm-one", "gardener.cloud/operation-")
	f.Kubectl(f.Seed(), "-n", technical, "patch", "containerruntime", "wasm-one", "--subresource=status", "--type=merge", "-p", fmt.Sprintf(
		`{"status":{"observedGeneration":%s,"lastOperation":{"type":"Create","state":"Succeeded","progress":100,"description":"by hand","lastUpdateTime":%q}}}`,
		f.seed("containerruntime/wasm-one", "{.metadata.generation}"), time.Now().Add(time.Second).UTC().Format(time.RFC3339)))
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	for label, want := range map[string]int{
		"containerruntime.worker.gardener.cloud/gvisor=true": 1, "containerruntime.worker.gardener.cloud/wasm=true": 1, "container.runtime.gvisor=true": 1,
	} {
		f.Eventually(time.Minute, "CTR-1 CTR-7 CTR-10 nodes of one pool are labelled", func() (bool, string) {
			nodes := strings.Fields(f.get(f.shoot, []string{"get", "nodes", "-l", label}, `{.items[*].metadata.labels.worker\.gardener\.cloud/pool}`))
			return len(nodes) == want && nodes[0] == "one", fmt.Sprint(label, nodes)
		})
	}
	if got := f.get(f.shoot, []string{"get", "runtimeclass", "gvisor"}, "{.handler}"); got != "runsc" {
		t.Errorf("CTR-8 the handler of the class is %q", got)
	}
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--type=json", "-p", fmt.Sprintf(`[{"op":"remove","path":%q}]`, path))
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	f.Eventually(time.Minute, "CTR-6 unused runtimes go", func() (bool, string) {
		left := f.seed("containerruntimes", "{.items[*].metadata.name}") + f.get(f.shoot, []string{"get", "runtimeclasses"}, "{.items[*].metadata.name}")
		return left == "", left
	})
}

// registryCache enables an extension with an invalid configuration, then with a valid one, and disables it.
func registryCache(t *testing.T, f *fixture) {
	order := func(upstream string) []string {
		return []string{"-n", project, "patch", "shoot", "rows", "--type=merge", "-p", fmt.Sprintf(`{"spec":{"extensions":[{"type":"registry-cache","providerConfig":{
			"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"RegistryConfig","caches":[{"upstream":%q}]}}]}}`, upstream)}
	}
	// The admission of the extension sees the shoot as soon as it has the label, that is with this very patch.
	r := f.TryKubectl(f.Garden(), order("https://docker.io")...)
	if r.Code == 0 || !strings.Contains(r.Stderr, `admission webhook "shoots.registry-cache.extensions.gardener.cloud" denied the request`) || !strings.Contains(r.Stderr, "caches[0].upstream") {
		t.Errorf("EXT-25 the mistake is answered with code %d: %s", r.Code, r.Stderr)
	}
	selectors := f.Kubectl(f.Garden(), "get", "validatingwebhookconfiguration", "gardener-extension-admission-local", "-o", "jsonpath={.webhooks[*].objectSelector.matchLabels}")
	if want := `{"provider.extensions.gardener.cloud/local":"true"} {"extensions.extensions.gardener.cloud/registry-cache":"true"}`; selectors != want {
		t.Errorf("EXT-25 the webhooks select %s, want %s", selectors, want)
	}
	f.Kubectl(f.Garden(), order("docker.io")...)
	f.Eventually(3*time.Minute, "the extension is there", func() (bool, string) {
		got := f.seed("extensions.extensions.gardener.cloud", "{range .items[*]}{.spec.type} {.status.lastOperation.state} {.spec.providerConfig.caches[0].upstream}{end}")
		return got == "registry-cache Succeeded docker.io", got
	})
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	status := struct {
		Kind   string
		Caches []struct{ Upstream, Endpoint, RemoteURL string }
	}{}
	if err := json.Unmarshal([]byte(f.seed("extensions.extensions.gardener.cloud/registry-cache", "{.status.providerStatus}")), &status); err != nil {
		t.Fatal(err)
	}
	if status.Kind != "RegistryStatus" || len(status.Caches) != 1 || status.Caches[0].RemoteURL != "https://registry-1.docker.io" {
		t.Fatalf("status is %+v", status)
	}
	if ip := f.get(f.shoot, []string{"-n", "kube-system", "get", "service", "registry-docker-io"}, "{.spec.clusterIP}"); "http://"+ip+":5000" != status.Caches[0].Endpoint {
		t.Errorf("the Service has %s, the status says %s", ip, status.Caches[0].Endpoint)
	}
	if got := f.seed("operatingsystemconfigs", "{.items[*].spec.files[*].path}"); !strings.Contains(got, "/etc/containerd/certs.d/docker.io/hosts.toml") {
		t.Errorf("nodes do not know: %s", got)
	}
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--type=json", "-p", `[{"op":"remove","path":"/spec/extensions"}]`)
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	f.Eventually(time.Minute, "the extension goes", func() (bool, string) {
		left := f.seed("extensions.extensions.gardener.cloud", "{.items[*].metadata.name}") + f.seed("managedresources/extension-registry-cache", "{.metadata.name}", "--ignore-not-found")
		return left == "", left
	})
}
