package seeds

import (
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// asleep moves shoot chosen to seed two while it is hibernated, and wakes it up there. If it is on seed two already, it moves to seed local first. Nothing
// of it runs on either seed before that.
func asleep(t *testing.T, l *framework.Landscape) {
	shoot := l.File("chosen.yaml", l.Gardener("kubeconfig", "shoot", "chosen", "-n", garden))
	seeds := map[string]string{"local": l.Seed(), "two": l.File("seed-two.yaml", l.Gardener("kubeconfig", "seed", "two"))}
	l.Kubectl(shoot, "create", "configmap", "asleep", "--from-literal=key=dreamt")
	authority := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot)
	former := l.Kubectl(shoot, "get", "nodes", "-o", theNode)
	l.Gardener("shoot", "hibernate", "chosen", "-n", garden)
	way := []string{"local", "two"}
	if l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath={.status.seedName}") == "local" {
		way = way[1:]
	}
	for _, to := range way {
		from := map[string]string{"local": "two", "two": "local"}[to]
		move(t, l, "chosen", from, to)
		if said := l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath={.status.hibernated} {.spec.hibernation.enabled}"); said != "true true" {
			t.Errorf("MIG-4 on seed %s the shoot is hibernated, and is to be: %s", to, said)
		}
		if pods := l.Kubectl(seeds[to], "-n", chosen, "get", "pods", "--field-selector=status.phase=Running", "-o", "name"); strings.Contains(pods, "kube-") || strings.Contains(pods, "etcd-") || strings.Contains(pods, "machine-") {
			t.Errorf("MIG-4 these pods run on seed %s for a shoot that sleeps:\n%s", to, pods)
		}
		if machines := l.Kubectl(seeds[to], "-n", chosen, "get", "machines", "-o", "name"); machines != "" {
			t.Errorf("MIG-4 a shoot that sleeps has machines on seed %s: %s", to, machines)
		}
		if r := l.TryKubectl(seeds[from], "get", "namespace", chosen); r.Code == 0 || !strings.Contains(r.Stderr, "NotFound") {
			t.Errorf("MIG-3 the namespace is still on seed %s: %s%s", from, r.Stdout, r.Stderr)
		}
	}
	l.Gardener("shoot", "wake", "chosen", "-n", garden)
	if got := l.Kubectl(shoot, "get", "configmap", "asleep", "-o", "jsonpath={.data.key}"); got != "dreamt" {
		t.Errorf("MIG-3 the config map has %q", got)
	}
	if got := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot); got != authority {
		t.Error("MIG-6 the shoot has another authority")
	}
	l.Kubectl(shoot, "wait", "node", "--all", "--for=condition=Ready", "--timeout=10m")
	if node := l.Kubectl(shoot, "get", "nodes", "-o", theNode); len(strings.Fields(node)) != 2 || node == former {
		t.Errorf("MIG-4 the node of the shoot that was woken up is %q; before it fell asleep it was %q", node, former)
	}
}

// withoutWorkers moves shoot shared, which has no workers, to seed two and back.
func withoutWorkers(t *testing.T, l *framework.Landscape) {
	shoot := l.File("shared.yaml", l.Gardener("kubeconfig", "shoot", "shared", "-n", garden))
	authority := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "shared.ca-cluster", "-o", caOfShoot)
	uid := l.Kubectl(shoot, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
	for _, to := range []string{"two", "local"} {
		from := map[string]string{"local": "two", "two": "local"}[to]
		l.Kubectl(shoot, "create", "configmap", "to-"+to, "--from-literal=key="+to)
		move(t, l, "shared", from, to)
		if got := l.Kubectl(shoot, "get", "configmap", "to-"+to, "-o", "jsonpath={.data.key}"); got != to {
			t.Errorf("MIG-3 on seed %s the config map has %q", to, got)
		}
		if got := l.Kubectl(shoot, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"); got != uid {
			t.Errorf("MIG-3 on seed %s namespace kube-system has UID %s, and had %s", to, got, uid)
		}
		if got := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "shared.ca-cluster", "-o", caOfShoot); got != authority {
			t.Errorf("MIG-6 on seed %s the shoot has another authority", to)
		}
	}
	if got := l.Kubectl(shoot, "get", "configmaps", "to-two", "to-local", "-o", "jsonpath={.items[*].data.key}"); got != "two local" {
		t.Errorf("MIG-3 the config maps from before both moves have %q", got)
	}
}

// move moves the control plane of a shoot, and waits until it is ready there.
func move(t *testing.T, l *framework.Landscape, name, from, to string) {
	t.Helper()
	began := time.Now()
	if r := l.Run("shoot", "migrate", name, "-n", garden, "--to", to, "--timeout="+patience.String()); r.Code != 0 {
		t.Fatalf("the migration of shoot %s to seed %s ends with %d: %s%s", name, to, r.Code, r.Stdout, r.Stderr)
	}
	t.Logf("shoot %s moved from seed %s to seed %s within %s", name, from, to, time.Since(began).Round(time.Second))
	if got := l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", name, "-o", "jsonpath={.status.seedName} {.status.lastOperation.type} {.status.lastOperation.state}"); !strings.HasPrefix(got, to+" Restore Succeeded") && !strings.HasPrefix(got, to+" Reconcile ") {
		t.Errorf("MIG-4 shoot %s: %s", name, got)
	}
}
