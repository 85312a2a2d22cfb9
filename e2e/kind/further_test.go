package kind

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

// Further seeds of the landscape, which makes them itself.
const (
	otherKind     = "three"
	otherEmbedded = "small"
)

// furtherSeeds come before a cluster of somebody else joins them.
var furtherSeeds = []step{
	{"APP-8 API-11 further seeds are brought up beside a seed on kind: a kind cluster and an embedded one", addFurther, true},
}

// moves come when no other step counts on what nodes of the shoot had before.
var moves = []step{
	{"APP-8 an embedded seed is removed without the others", removeEmbedded, true},
	{"MIG-3 MIG-5 MIG-9 a shoot moves to another kind seed and back with the containers that are its nodes", moveShoot, true},
}

// removal comes when no shoot has backups in the bucket of that seed.
var removal = []step{
	{"MIG-16 the bucket of the other seed keeps what a moved shoot left there", leftBehind, true},
	{"APP-8 a kind seed is removed without the others, and leaves nothing", removeKind, true},
}

func addFurther(t *testing.T, f *fixture) {
	f.Gardener("seed", "add", otherEmbedded, "--wait=false")
	f.reader.Follow(t, "a further seed on kind", follow.Example(t, "gardener seed add three --provider kind --timeout 10m"))
	f.listed(10*time.Minute, map[string]bool{"local": true, otherKind: true, otherEmbedded: true})
	kubeconfig := f.File("seed-"+otherKind+".yaml", f.Gardener("kubeconfig", "seed", otherKind))
	f.await(3*time.Minute, "GLT-22 EXT-17 the other kind seed is connected for calls to the landscape, too", func() (bool, string) {
		ready := f.TryKubectl(kubeconfig, "-n", "garden", "get", "deployment", "landscape-callback", "-o", "jsonpath={.status.readyReplicas}")
		called := f.TryKubectl(kubeconfig, "get", "mutatingwebhookconfiguration", "gardener-extension-provider-local", "-o", "jsonpath={.webhooks[0].clientConfig.service.name}")
		return ready.Stdout == "1" && called.Stdout == "landscape-callback", ready.Stdout + ready.Stderr + called.Stdout + called.Stderr
	})
}

// listed waits until seeds are listed as ready, or as not ready.
func (f *fixture) listed(timeout time.Duration, want map[string]bool) {
	f.await(timeout, fmt.Sprintf("the seeds are ready or not: %v", want), func() (bool, string) {
		r, got := f.Run("seed", "list"), map[string]bool{}
		for _, line := range strings.Split(r.Stdout, "\n") {
			if fields := strings.Fields(line); len(fields) > 4 {
				if _, asked := want[fields[0]]; asked {
					got[fields[0]] = fields[4] == "true"
				}
			}
		}
		return fmt.Sprint(got) == fmt.Sprint(want), r.Stdout + r.Stderr
	})
}

// container is the node of a further kind seed.
func (f *fixture) container(seed string) string {
	return "gardener-" + f.name + "." + seed + "-control-plane"
}

// failOneByOne ends the cluster of each seed. Those that remain go on, the first seed works for its shoot, and all come back. theirs is the
// kubeconfig of the cluster that somebody else has made, with its node.
func (f *fixture) failOneByOne(t *testing.T, theirs, theirNode string) {
	kubeconfigs := map[string]string{"local": f.Seed(), "theirs": theirs}
	for _, seed := range []string{otherKind, otherEmbedded} {
		kubeconfigs[seed] = f.File("seed-"+seed+".yaml", f.Gardener("kubeconfig", "seed", seed))
	}
	for _, fault := range []struct {
		seed string
		end  func()
	}{
		{otherEmbedded, func() {
			for pid, text := range f.Processes() {
				if strings.Contains(text, " daemon ") && strings.Contains(text, "--cluster-of=") {
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Error(err)
					}
				}
			}
		}},
		{otherKind, func() { docker(t, "kill", f.container(otherKind)) }},
		{"theirs", func() { docker(t, "kill", theirNode) }},
	} {
		fault.end()
		delete(kubeconfigs, fault.seed)
		for seed, kubeconfig := range kubeconfigs {
			if r := f.TryKubectl(kubeconfig, "get", "--raw=/readyz"); r.Code != 0 {
				t.Errorf("without seed %s the cluster of seed %s does not serve: %s%s", fault.seed, seed, r.Stdout, r.Stderr)
			}
		}
		if nodes := f.machines(t); len(nodes) == 0 {
			t.Errorf("without seed %s the shoot on seed local has no nodes", fault.seed)
		}
	}
	f.reconcile()
	f.ready()
	docker(t, "start", theirNode) // by its owner; the landscape starts its own
	f.listed(5*time.Minute, map[string]bool{"local": true, otherKind: true, otherEmbedded: true, "theirs": true})

	f.Gardener("part", "stop", "gardenlet")
	f.listed(time.Minute, map[string]bool{otherKind: true, otherEmbedded: true, "theirs": true})
	f.Gardener("part", "start", "gardenlet")
	for _, seed := range []string{otherKind, otherEmbedded} {
		f.Gardener("part", "stop", "cluster-"+seed)
	}
	if running := docker(t, "ps", "--filter", "name="+f.container(otherKind), "--format", "{{.Names}}"); len(running) > 0 {
		t.Errorf("seed %s was stopped, and still runs", otherKind)
	}
	f.listed(2*time.Minute, map[string]bool{"local": true, "theirs": true})
	for _, seed := range []string{otherKind, otherEmbedded} {
		f.Gardener("part", "start", "cluster-"+seed)
	}
}

func removeEmbedded(_ *testing.T, f *fixture) {
	f.Gardener("seed", "remove", otherEmbedded)
	f.listed(5*time.Minute, map[string]bool{"local": true, otherKind: true})
}

// moveShoot compares what must survive the move with what was there before: containers, nodes, and a pod of a user.
func moveShoot(t *testing.T, f *fixture) {
	f.startPod("uptime", "", "", "serve")
	f.kube("label", "pod", "uptime", "app=uptime")
	f.kube("wait", "--for=condition=Ready", "pod/uptime", "--timeout=10m")
	survives := func() []string {
		machines := f.machines(t)
		return slices.Concat(
			docker(t, append([]string{"inspect", "--format", "{{.Name}} {{.Id}} {{.State.Running}} {{.State.StartedAt}}"}, machines...)...),
			[]string{
				f.kube("get", "nodes", "-o", "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.spec.providerID} {.status.nodeInfo.bootID}{end}"),
				f.kube("get", "pod", "uptime", "-o", "jsonpath={.metadata.uid} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].state.running.startedAt} {.status.containerStatuses[0].restartCount}"),
				f.Kubectl(f.Garden(), "-n", project, "get", "shootstate", shootName, "-o", `jsonpath={.spec.extensions[?(@.kind=="Infrastructure")].state}`),
			})
	}
	before := survives()
	seeds := map[string]string{"local": f.Seed(), otherKind: f.File("seed-"+otherKind+".yaml", f.Gardener("kubeconfig", "seed", otherKind))}
	for _, move := range []struct{ from, to string }{{"local", otherKind}, {otherKind, "local"}} {
		f.kube("create", "configmap", "moves-to-"+move.to, "--from-literal=key="+move.to)
		began := time.Now()
		f.Gardener("shoot", "migrate", shootName, "-n", project, "--to", move.to, "--timeout=10m")
		f.ready()
		t.Logf("moved to seed %s within %s", move.to, time.Since(began).Round(time.Second))
		if got := f.shootField("{.status.seedName}"); got != move.to {
			t.Errorf("the shoot is on seed %s, not on %s", got, move.to)
		}
		if r := f.TryKubectl(seeds[move.from], "get", "namespace", technical); r.Code == 0 || !strings.Contains(r.Stderr, "NotFound") {
			t.Errorf("MIG-3 the namespace is still on seed %s: %s%s", move.from, r.Stdout, r.Stderr)
		}
		if after := survives(); !slices.Equal(before, after) {
			t.Errorf("MIG-5 containers, nodes and pods after the move to seed %s\nwere %s\nand are %s", move.to, strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
		f.moved(t, move.to)
	}
	for _, seed := range []string{otherKind, "local"} { // what was written on each seed is in the backups that came back
		if got := f.kube("get", "configmap", "moves-to-"+seed, "-o", "jsonpath={.data.key}"); got != seed {
			t.Errorf("MIG-3 the config map from before the move to seed %s has %q", seed, got)
		}
	}
}

// moved checks that the control plane on a seed works with the nodes: it reaches the kubelet, the kubelet starts a pod, and kube-proxy and
// CoreDNS know a new Service, when they have found the new API server.
func (f *fixture) moved(t *testing.T, to string) {
	pod, service := "moved-to-"+to, "uptime-"+to
	f.kube("wait", "--for=condition=Ready", "node", "--all", "--timeout=10m")
	f.kube("expose", "pod", "uptime", "--name="+service, "--port=80", "--target-port=8080")
	f.startPod(pod, "", "", "serve")
	f.kube("wait", "--for=condition=Ready", "pod/"+pod, "--timeout=10m")
	f.await(5*time.Minute, "a new Service answers on seed "+to, func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "exec", pod, "--", "echo", "get", "http://"+service+".default.svc.cluster.local/hostname")
		return strings.TrimSpace(r.Stdout) == "uptime", r.Stdout + r.Stderr
	})
	f.kube("delete", "pod", pod, "--wait=false")
}

func removeKind(t *testing.T, f *fixture) {
	f.Gardener("seed", "remove", otherKind)
	if left := docker(t, "ps", "-a", "--filter", "name="+f.container(otherKind), "--format", "{{.Names}}"); len(left) > 0 {
		t.Errorf("containers are left: %v", left)
	}
	if left, err := filepath.Glob(filepath.Join(f.StateDir, "backups", otherKind, "*")); err != nil || len(left) > 0 {
		t.Errorf("its buckets are left, with what shoots left there: %v, %v", left, err)
	}
	f.listed(2*time.Minute, map[string]bool{"local": true})
}
