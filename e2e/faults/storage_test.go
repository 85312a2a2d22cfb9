package faults

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestFullStorage fills the storage of the garden as a member of a project could.
func TestFullStorage(t *testing.T) {
	l := framework.New(t)
	config, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(config)+"storage: {quota: 64Mi}\n"); err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	l.Kubectl(l.Garden(), "create", "namespace", "fill")
	l.Kubectl(l.Garden(), "create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice")
	blob := l.File("blob", strings.Repeat("0123456789", 90_000))
	asAlice := func(args ...string) framework.Result {
		return l.TryKubectl(l.Garden(), append([]string{"--as=alice", "-n", "fill"}, args...)...)
	}
	refused := framework.Result{}
	for n := 0; refused.Code == 0 && n < 100; n++ {
		refused = asAlice("create", "configmap", fmt.Sprintf("c%d", n), "--from-file=blob="+blob)
	}
	t.Run("APP-5 a user who fills the storage is refused and told what to delete", func(t *testing.T) {
		if !strings.Contains(refused.Stderr, "the storage is full: about") || !strings.Contains(refused.Stderr, "deleted or made smaller") {
			t.Errorf("refused with %d: %s", refused.Code, refused.Stderr)
		}
	})
	t.Run("APP-5 status warns by its text and its exit code", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "status warns of the etcd", func() (bool, string) {
			r := l.Run("status")
			return (r.Code == 1 || r.Code == 9) && strings.Contains(r.Stdout, "configmaps/fill ("), r.Stdout + r.Stderr
		})
		l.Eventually(time.Minute, "an event and a condition tell it", func() (bool, string) {
			said := l.Kubectl(l.Garden(), "get", "seed", "local", "-o", `jsonpath={.status.conditions[?(@.type=="StorageAvailable")].status}`) +
				l.Kubectl(l.Garden(), "get", "events", "-n", "default", "-o", "jsonpath={.items[*].message}")
			return !strings.HasPrefix(said, "True") && strings.Contains(said, "etcd-garden: the storage"), said
		})
	})
	t.Run("APP-5 the system goes on", func(t *testing.T) {
		l := l.For(t)
		renewed := func() string {
			return l.Kubectl(l.Garden(), "-n", "gardener-system-seed-lease", "get", "lease", "local", "-o", "jsonpath={.spec.renewTime}")
		}
		before := renewed()
		l.Eventually(time.Minute, "the gardenlet renews its lease", func() (bool, string) { return renewed() != before, before })
		l.Kubectl(l.Seed(), "create", "configmap", "in-the-seed", "--from-file=blob="+blob) // which has an etcd of its own
	})
	t.Run("APP-5 a landscape with a full storage stops and starts", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("down")
		l.Gardener("up")
	})
	t.Run("APP-5 it heals when the user deletes", func(t *testing.T) {
		l := l.For(t)
		if r := asAlice("delete", "configmap", "--all"); r.Code != 0 {
			t.Fatalf("delete: %s", r.Stderr)
		}
		l.Eventually(2*time.Minute, "the user can write again", func() (bool, string) {
			r := asAlice("create", "configmap", "again", "--from-file=blob="+blob)
			return r.Code == 0, r.Stderr
		})
		l.Eventually(2*time.Minute, "status has nothing to say", func() (bool, string) {
			r := l.Run("status")
			return r.Code == 0, r.Stdout + r.Stderr
		})
	})
}
