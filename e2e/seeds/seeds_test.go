// Package seeds runs a landscape with several seeds: some that it starts itself, and some that an operator describes.
package seeds

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

func TestSeeds(t *testing.T) {
	l := framework.New(t)
	l.Gardener("up")
	reader := follow.New(t, l)
	operated(t, l)
	t.Run("API-11 APP-8 ARC-8 a further seed is brought up", func(t *testing.T) {
		l := l.For(t)
		said := l.Gardener("seed", "add", "two", "--dry-run")
		pods := regexp.MustCompile(`spec\.networks\.pods: none → "([0-9./]+)"`).FindStringSubmatch(said)
		if listed := l.Gardener("seed", "list"); pods == nil || strings.Contains(listed, "two") {
			t.Errorf("APP-35 the dry run says %q, after which there are the seeds\n%s", said, listed)
		}
		l.Gardener("seed", "add", "two")
		if got := l.Kubectl(l.Garden(), "get", "seed", "two", "-o", "jsonpath={.spec.networks.pods}"); pods != nil && got != pods[1] {
			t.Errorf("APP-35 pods are in %s, not in %s as the dry run said", got, pods[1])
		}
		if r := l.Run("seed", "add", "two"); r.Code != 1 || !strings.Contains(r.Stderr, `seed "two" exists already`) {
			t.Errorf("added twice: %d %s", r.Code, r.Stderr)
		}
		if kubeconfig := l.Gardener("kubeconfig", "seed", "two"); !strings.Contains(kubeconfig, "seed-two") {
			t.Error("there is no kubeconfig for it")
		}
		if log := l.Gardener("logs", "two", "--tail=1000"); !strings.Contains(log, `"part":"seed-apiserver"`) || strings.Contains(log, "gardenlet") {
			t.Errorf("its log is\n%s", log)
		}
	})
	t.Run("SAC-1 each seed has an admission of its own", func(t *testing.T) { haveAdmission(l.For(t)) })
	t.Run("ARC-8 shoots are shared between the seeds of a region", func(t *testing.T) {
		l := l.For(t)
		file, err := filepath.Abs(filepath.Join("testdata", "shoots.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		l.Kubectl(l.Garden(), "create", "-f", file)
		for _, name := range []string{"chosen", "shared"} {
			l.Gardener("shoot", "wait", name, "-n", "garden-local", "--timeout="+patience.String())
		}
		for name, want := range map[string]string{"chosen": "two", "shared": "local"} {
			if got := l.Kubectl(l.Garden(), "get", "shoot", name, "-n", "garden-local", "-o", "jsonpath={.status.seedName}"); got != want {
				t.Errorf("shoot %s is on seed %q, want %s", name, got, want)
			}
		}
		if nodes := strings.Fields(l.Kubectl(l.Shoot("garden-local", "chosen"), "get", "nodes", "-o", "name")); len(nodes) != 1 {
			t.Errorf("nodes %v, want one", nodes)
		}
		l.Kubectl(l.Shoot("garden-local", "shared"), "get", "namespaces")
	})
	for gardenlet, shoot := range map[string]string{"gardenlet": "chosen", "gardenlet-two": "shared"} {
		t.Run("ARC-8 without "+gardenlet+" shoots of the other seed keep reconciling", func(t *testing.T) {
			l := l.For(t)
			l.Gardener("part", "stop", gardenlet)
			reconcile(l, shoot)
			l.Gardener("part", "start", gardenlet)
		})
	}
	moved(t, l, reader)
	t.Run("ARC-8 the end of a seed's cluster does not touch shoots of others, and it comes back", func(t *testing.T) {
		l := l.For(t)
		if err := syscall.Kill(cluster(t, l), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		reconcile(l, "shared")
		reconcile(l, "chosen")
	})
	t.Run("ARC-8 APP-4 seeds come back with the landscape, one of them from its snapshots", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("down")
		if left := l.Processes(); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
		log, err := os.ReadFile(filepath.Join(l.StateDir, "seeds", "two", "logs", "gardener.log"))
		if err != nil || strings.Contains(string(log), "error: stop ") {
			t.Errorf("a part of the seed's cluster was cut off while it stopped, %v:\n%s", err, log)
		}
		if err := os.RemoveAll(filepath.Join(l.StateDir, "seeds", "two", "etcd")); err != nil {
			t.Fatal(err)
		}
		reader.Follow(t, "the restoration of an etcd", follow.Example(t, "gardener etcd restore etcd-seed --seed two --yes"))
		l.Gardener("up")
		becomesReady(l, "two")
		reconcile(l, "chosen")
	})
	t.Run("SAC-1 the admission of each seed comes back with the landscape", func(t *testing.T) { haveAdmission(l.For(t)) })
	t.Run("a seed goes with its Seed", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("seed", "add", "three")
		deleteSeed(t, l, "three")
	})
	t.Run("MIG-28 a seed goes when no shoot uses it, and a shoot goes with its bastion", func(t *testing.T) {
		l := l.For(t)
		if r := l.Run("seed", "remove", "two"); r.Code != 1 || !strings.Contains(r.Stderr, "it is used by shoot garden-local/chosen") {
			t.Errorf("removed in use: %d %s", r.Code, r.Stderr)
		}
		l.Kubectl(l.Garden(), "create", "-f", l.File("bastion.yaml", bastionYAML))
		l.Gardener("shoot", "delete", "chosen", "-n", "garden-local", "--yes", "--timeout="+patience.String())
		if left := l.Kubectl(l.Garden(), "get", "bastions.operations.gardener.cloud", "-A", "-o", "name"); left != "" {
			t.Errorf("MIG-28 the shoot has gone without %s", left)
		}
		l.Gardener("seed", "remove", "two")
		if entries, err := os.ReadDir(filepath.Join(l.StateDir, "seeds")); err != nil || len(entries) > 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
		if r := l.Run("seed", "remove", "two"); r.Code != 6 {
			t.Errorf("removed twice: %d %s", r.Code, r.Stderr)
		}
		if r := l.Run("seed", "remove", "local"); r.Code != 1 || !strings.Contains(r.Stderr, "is the first seed of the landscape") || !strings.Contains(r.Stderr, "gardener down --purge") {
			t.Errorf("the first seed is removed: %d %s", r.Code, r.Stderr)
		}
	})
	t.Run("GCM-24 the gardenlet of a ManagedSeed has access to the garden", func(t *testing.T) { managedSeeds(t, l.For(t)) })
}

// haveAdmission waits until both seeds have a pod that refuses unconfirmed deletions.
func haveAdmission(l *framework.Landscape) {
	for name, seed := range map[string]string{"local": l.Seed(), "two": l.File("seed-two.yaml", l.Gardener("kubeconfig", "seed", "two"))} {
		l.Eventually(patience, "the admission of seed "+name+" answers", func() (bool, string) {
			ready := l.TryKubectl(seed, "get", "pods", "-n", "garden", "-l", "app=gardener-seed-admission-controller", "-o", `jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}`)
			refused := l.TryKubectl(seed, "delete", "crd", "workers.extensions.gardener.cloud")
			return ready.Stdout == "True" && refused.Code != 0 && strings.Contains(refused.Stderr, "is not confirmed"), ready.Stdout + ready.Stderr + refused.Stderr
		})
	}
}

// reconcile requests a reconciliation of a shoot and waits until it has succeeded.
func reconcile(l *framework.Landscape, shoot string) {
	state := func() string {
		return l.Kubectl(l.Garden(), "get", "shoot", shoot, "-n", "garden-local", "-o", "jsonpath={.status.lastOperation.state} {.status.lastOperation.lastUpdateTime} {.metadata.annotations}")
	}
	before := l.Kubectl(l.Garden(), "get", "shoot", shoot, "-n", "garden-local", "-o", "jsonpath={.status.lastOperation.lastUpdateTime}")
	l.Kubectl(l.Garden(), "annotate", "shoot", shoot, "-n", "garden-local", "gardener.cloud/operation=reconcile")
	l.Eventually(patience, "shoot "+shoot+" is reconciled", func() (bool, string) {
		now := state()
		return strings.HasPrefix(now, "Succeeded ") && !strings.HasPrefix(now, "Succeeded "+before) && !strings.Contains(now, "gardener.cloud/operation"), now
	})
}

// cluster returns the process ID of the cluster of the further seed.
func cluster(t *testing.T, l *framework.Landscape) int {
	t.Helper()
	for pid, text := range l.Processes() {
		if strings.Contains(text, " daemon ") && strings.Contains(text, "--cluster-of=") {
			return pid
		}
	}
	t.Fatal("no process of a cluster")
	return 0
}

// nameServer is that of the landscape, also while parts of it are stopped.
func nameServer(t *testing.T, l *framework.Landscape) string {
	t.Helper()
	var status struct {
		NameServer string `json:"nameServer"`
	}
	if l.Status(&status); status.NameServer == "" {
		t.Fatal("the status tells no name server")
	}
	return status.NameServer
}
