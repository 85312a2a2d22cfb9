//go:build nodes

package kind

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/e2e/framework/poller"
)

const (
	seedNodes = 3
	// pause is how long the processes of a node are stopped: longer than the seed needs to notice it.
	pause = 70 * time.Second
	// noticed bounds an interruption for a client that keeps its connections. Go's clients ask after 30 s without an answer whether a
	// connection is alive, and give it 15 s.
	noticed = 90 * time.Second
)

// TestNodes needs three systems as nodes and ten minutes, so that it is no part of the ordinary tests: make test-nodes.
func TestNodes(t *testing.T) {
	needDocker(t)
	name := fmt.Sprintf("e2e-%04x", rand.IntN(1<<16))
	f := &fixture{name: name, volumes: map[string]bool{}}
	f.Landscape = framework.NewKind(t, name, prepared.newImage, nil, prepared.dockerHost)
	configure(t, f.Landscape, func(config map[string]any) { config["seed"].(map[string]any)["nodes"] = seedNodes })
	t.Cleanup(func() {
		if t.Failed() {
			f.dump(t)
		}
	})
	for _, s := range []step{
		{"API-11 a kind seed has nodes in three zones", inZones, false},
		{"a shoot becomes highly available while a client polls", becomeAvailable, false},
		{"no two members, and no two API servers, are on a node", spread, false},
		{"a stopped node interrupts nothing but what lived there", stopNodes, true},
		{"neither does one whose processes are stopped", pauseNode, true},
	} {
		begin := time.Now()
		ok := t.Run(s.name, func(t *testing.T) { s.test(t, f.within(t)) })
		t.Logf("%6.1f s  %s", time.Since(begin).Seconds(), s.name)
		if !ok && !s.goOn {
			t.Fatalf("%q failed, what follows needs it", s.name)
		}
	}
}

// seedNodeNames are the containers of the seed, the one with its API server last.
func (f *fixture) seedNodeNames() []string {
	cluster := "gardener-" + f.name
	return []string{cluster + "-worker", cluster + "-worker2", cluster + "-control-plane"}
}

func inZones(t *testing.T, f *fixture) {
	f.Gardener("up")
	seedReady(t, f)
	got := f.Kubectl(f.Seed(), "get", "nodes", "-o", `jsonpath={range .items[*]}{.metadata.labels.topology\.kubernetes\.io/zone} {.spec.taints}{"\n"}{end}`)
	zones := strings.Split(strings.TrimSpace(strings.ReplaceAll(got, " \n", "\n")), "\n")
	slices.Sort(zones)
	if !slices.Equal(zones, []string{"0", "1", "2"}) {
		t.Errorf("zones and taints of the nodes: %q", zones)
	}
	if got := f.Kubectl(f.Garden(), "get", "seed", "local", "-o", "jsonpath={.spec.provider.zones}"); got != `["0","1","2"]` {
		t.Errorf("zones of the Seed: %s", got)
	}
}

func becomeAvailable(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "apply", "-f", f.File("shoot.yaml", f.Gardener("shoot", "example")))
	f.ready()
	f.Shoot(project, shootName)
	f.kube("create", "secret", "generic", "secret-0", "--from-literal=a=b")
	client := poller.Start(t, "a client while the control plane becomes highly available", f.kubeconfig())
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", shootName, "--type=merge", "-p", `{"spec":{"controlPlane":{"highAvailability":{"failureTolerance":{"type":"node"}}}}}`)
	f.ready()
	client.Stop(t, 30*time.Second)
	got := f.Kubectl(f.Garden(), "-n", project, "get", "shoot", shootName, "-o", `jsonpath={.status.conditions[?(@.type=="ControlPlaneHealthy")].message}`)
	if strings.Contains(got, "of the 3") {
		t.Errorf("the condition says that the seed lacks nodes: %s", got)
	}
}

func spread(t *testing.T, f *fixture) {
	for _, selector := range []string{"instance=etcd-main", "instance=etcd-events", "role=apiserver"} {
		f.await(5*time.Minute, selector+" is on all nodes", func() (bool, string) {
			// An API server of a seed that has just restarted answers before it knows any roles.
			r := f.TryKubectl(f.Seed(), "-n", technical, "get", "pods", "-l", selector, "-o", `jsonpath={range .items[*]}{.spec.nodeName} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}`)
			if r.Code != 0 {
				return false, r.Stderr
			}
			got := r.Stdout
			lines := strings.Fields(strings.ReplaceAll(got, " True", ""))
			slices.Sort(lines)
			want := f.seedNodeNames()
			slices.Sort(want)
			return slices.Equal(lines, want), got
		})
	}
	if got := f.Kubectl(f.Seed(), "-n", technical, "get", "poddisruptionbudget", "kube-apiserver", "etcd-main", "-o", "jsonpath={.items[*].status.disruptionsAllowed}"); got != "1 1" {
		t.Errorf("the budgets allow %q", got)
	}
}

// stopNodes stops one node after the other. The landscape starts it again within seconds, and what lived there takes longer.
func stopNodes(t *testing.T, f *fixture) {
	for _, node := range f.seedNodeNames() {
		client := poller.Start(t, "a client while "+node+" is stopped", f.kubeconfig())
		docker(t, "stop", "--time", "20", node)
		f.await(5*time.Minute, node+" runs again", func() (bool, string) {
			got := docker(t, "inspect", "--format", "{{.State.Running}}", node)[0]
			return got == "true", got
		})
		spread(t, f)
		answered(f, client)
		client.Stop(t, noticed)
	}
}

// answered waits for the end of an interruption. The pods of a node that has restarted count as ready until its kubelet has looked.
func answered(f *fixture, client *poller.Poller) {
	f.await(noticed, "the client is answered", func() (bool, string) { return client.Recovered(), "" })
}

// pauseNode stops the processes of a node, but neither its network nor its connections.
func pauseNode(t *testing.T, f *fixture) {
	node := f.seedNodeNames()[0]
	client := poller.Start(t, "a client while "+node+" is paused", f.kubeconfig())
	docker(t, "pause", node)
	after := time.Now().Add(pause)
	f.await(2*pause, "the pause ends", func() (bool, string) { return time.Now().After(after), "" })
	docker(t, "unpause", node)
	spread(t, f)
	answered(f, client)
	client.Stop(t, noticed)
}
