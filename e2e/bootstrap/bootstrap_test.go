package bootstrap

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// Questions to the cluster. What a bootstrap leaves alone has the same answers.
const (
	// everything is what may be left after a removal. Roles of the system come with its controllers.
	everything = `get namespaces,persistentvolumes,customresourcedefinitions,clusterroles,clusterrolebindings,priorityclasses,apiservices,` +
		`validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings -o name`
	// running tells each pod and each object of the garden from one that was written or started again.
	running = `-n garden get garden,deployments,statefulsets,services,configmaps,secrets,pods -o ` +
		`'jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.uid} {.metadata.generation} {.status.containerStatuses[*].restartCount}{"\n"}{end}'`
)

// TestBootstrap is the life of a garden on a cluster without a registry. Each step needs those before it. It needs a kind cluster of its own.
func TestBootstrap(t *testing.T) {
	if !framework.Long() {
		t.Skipf("not asked for: %s=yes does it (make soak)", framework.LongVariable)
	}
	c := newCluster(t)
	install := follow.Example(t, "gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --load")[0].Command
	status := follow.Example(t, "gardener bootstrap status --kubeconfig runtime.yaml")[0].Command
	remove := follow.Example(t, "gardener bootstrap remove --kubeconfig runtime.yaml --yes")[0].Command
	before := c.left(t)
	version := strings.TrimSpace(c.succeeds(t, `gardener version -o json | sed -n 's/.*"gardener": "\(.*\)".*/\1/p'`))
	own := "gardener.local/gardener:" + version

	needed := func(succeeded bool) {
		if !succeeded {
			t.FailNow()
		}
	}
	needed(t.Run("APP-25 a node without the image is named, and nothing is installed", func(t *testing.T) {
		c.fails(t, "gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image "+own, 1, "nodes without "+own+": "+c.node)
		if found := c.kubectl(t, "get crds,pods -n garden -o name"); found != "" {
			t.Errorf("there is %s", found)
		}
		c.succeeds(t, remove)
	}))
	needed(t.Run("APP-25 a dry run says what it would load, and changes nothing", func(t *testing.T) {
		if printed := c.succeeds(t, install+" --dry-run"); !strings.Contains(printed, "would load "+own+" into node "+c.node) || !strings.Contains(printed, "kind: Garden") {
			t.Errorf("printed: %s", printed)
		}
		c.same(t, before)
	}))
	needed(t.Run("APP-25 OPR-26 OPR-37 one command makes a garden on a cluster without a registry", func(t *testing.T) {
		began := time.Now()
		t.Log(c.succeeds(t, "examples/garden.sh up"))
		t.Logf("ready after %s", time.Since(began).Round(time.Second))
		t.Log(c.succeeds(t, status))
	}))
	needed(t.Run("APP-25 OPR-34 OPR-38 the API server of the garden answers through a forwarded port of its gateway", func(t *testing.T) { c.answers(t) }))
	needed(t.Run("OPR-17 OPR-26 the Prometheus of the garden reaches all that it asks, in a network that enforces policies", func(t *testing.T) { c.measures(t) }))
	needed(t.Run("OPR-22 a garden whose Prometheus does not run says so", func(t *testing.T) {
		for _, now := range []struct{ replicas, condition string }{{"0", "False"}, {"1", "True"}} {
			c.kubectl(t, "-n garden scale statefulset/prometheus-garden --replicas="+now.replicas)
			testwait.For(t, 2*time.Minute, "the condition is "+now.condition, func() error {
				if got := c.kubectl(t, `get garden local -o 'jsonpath={.status.conditions[?(@.type=="ObservabilityComponentsHealthy")].status}'`); strings.TrimSpace(got) != now.condition {
					return fmt.Errorf("it is %s", got)
				}
				return nil
			})
		}
	}))
	needed(t.Run("APP-25 another Garden is refused", func(t *testing.T) { c.fails(t, install, 1, "GRD-115") }))
	install += " --name local --domain virtual-garden.local.gardener.cloud" // as the example names it
	needed(t.Run("APP-25 the same command changes nothing, and loads nothing again", func(t *testing.T) {
		was := c.kubectl(t, running)
		if printed := c.succeeds(t, install+" --dry-run 2>&1 >/dev/null"); !strings.Contains(printed, "all nodes have all images") {
			t.Errorf("printed: %s", printed)
		}
		c.succeeds(t, install)
		if diff := cmp.Diff(strings.Split(was, "\n"), strings.Split(c.kubectl(t, running), "\n")); diff != "" {
			t.Errorf("the garden (-before +after):\n%s", diff)
		}
	}))
	needed(t.Run("APP-25 OPR-39 a removal leaves nothing", func(t *testing.T) {
		began := time.Now()
		c.succeeds(t, remove)
		t.Logf("gone after %s", time.Since(began).Round(time.Second))
		testwait.For(t, time.Minute, "the volumes are deleted, too", func() error {
			if volumes := c.kubectl(t, "get persistentvolumes -o name"); volumes != "" {
				return fmt.Errorf("there are %s", volumes)
			}
			return nil
		})
		c.same(t, before)
	}))
}

// answers lists Projects of the garden through a forwarded port of the gateway.
func (c theirs) answers(t *testing.T) {
	port := freePort(t)
	ctx, cancel := context.WithCancel(t.Context())
	forward := c.command(ctx, fmt.Sprintf("exec gardener kubectl --kubeconfig runtime.yaml -n virtual-garden-istio-ingress port-forward service/istio-ingressgateway %d:443", port))
	if err := forward.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = forward.Wait()
	}()
	c.succeeds(t, fmt.Sprintf("gardener bootstrap kubeconfig --kubeconfig runtime.yaml --server https://127.0.0.1:%d > garden.yaml", port))
	testwait.For(t, time.Minute, "the garden answers", func() error {
		stdout, stderr, code := c.run(t, "gardener kubectl --kubeconfig garden.yaml get projects -o name && gardener kubectl --kubeconfig garden.yaml get namespace garden -o name")
		if code != 0 || !strings.Contains(stdout, "namespace/garden") {
			return fmt.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
}

// measured are the jobs of the Prometheus of a garden.
var measured = []string{
	"etcd", "gardener-admission-controller", "gardener-apiserver", "gardener-controller-manager", "gardener-operator", "gardener-scheduler", "kube-apiserver", "kube-controller-manager",
}

// measures asks the Prometheus of the garden as docs/bootstrap.md says, by a port that is free.
func (c theirs) measures(t *testing.T) {
	port := freePort(t)
	var documented strings.Builder
	for _, step := range follow.Steps(t, "docs/bootstrap.md", "e2e/bootstrap") {
		fmt.Fprintln(&documented, step.Command)
	}
	script := "trap 'kill $(jobs -p)' EXIT\n" + strings.NewReplacer(
		" 9090 &", fmt.Sprintf(" %d:9090 >/dev/null &", port), "localhost:9090", fmt.Sprintf("localhost:%d", port),
	).Replace(documented.String())
	var last string
	testwait.For(t, 3*time.Minute, "all servers answer the Prometheus", func() error {
		stdout, stderr, code := c.run(t, script)
		var answer struct {
			Data struct {
				Result []struct {
					Metric struct{ Job, Instance string }
					Value  [2]any
				}
			}
		}
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 {
			return fmt.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		var up []string
		for _, one := range answer.Data.Result {
			if one.Value[1] != "1" {
				targets, _, _ := c.run(t, strings.ReplaceAll(script, "query?query=up", "targets"))
				return fmt.Errorf("%s at %s is down: %s", one.Metric.Job, one.Metric.Instance, targets)
			}
			up = append(up, one.Metric.Job)
		}
		slices.Sort(up)
		if diff := cmp.Diff(measured, slices.Compact(up)); diff != "" {
			return fmt.Errorf("jobs (-want +got):\n%s", diff)
		}
		last = fmt.Sprintf("%d targets are up", len(answer.Data.Result))
		return nil
	})
	t.Log(last)
}

// left is what a bootstrap may leave.
func (c theirs) left(t *testing.T) map[string]bool {
	t.Helper()
	had := map[string]bool{}
	for line := range strings.Lines(c.kubectl(t, everything)) {
		had[strings.TrimSpace(line)] = true
	}
	return had
}

func (c theirs) same(t *testing.T, before map[string]bool) {
	t.Helper()
	for line := range c.left(t) {
		if !before[line] {
			t.Errorf("left: %s", line)
		}
	}
}
