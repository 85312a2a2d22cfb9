package faults

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestFullStorage fills the storage of the garden as a member of projects could.
func TestFullStorage(t *testing.T) {
	t.Parallel()
	l := framework.New(t)
	config, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(config)+"storage: {quota: 64Mi}\n"); err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	attacked, namespaces := []string{"fill", "fill-too"}, []string{"fill", "fill-too", "other"}
	for _, namespace := range namespaces {
		l.Kubectl(l.Garden(), "create", "namespace", namespace)
	}
	l.Kubectl(l.Garden(), "create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice")
	asAlice := func(namespace string, args ...string) framework.Result {
		return l.TryKubectl(l.Garden(), append([]string{"--as=alice", "-n", namespace}, args...)...)
	}
	text := strings.Repeat("0123456789", 9_000)
	objects := l.File("objects.yaml", strings.Repeat(fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: fill-}\ndata: {a: %q}\n---\n", text), 10))
	create := func(namespace string) framework.Result { return asAlice(namespace, "create", "-f", objects) }
	t.Run("APP-5 a user who fills two namespaces is refused and told what to delete, users of other namespaces are not refused", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(4*time.Minute, "both namespaces are full", func() (bool, string) {
			refused, said := 0, ""
			for _, namespace := range attacked {
				create(namespace)
				r := asAlice(namespace, "create", "configmap", "small", "--from-literal=a=b")
				if r.Code == 0 {
					asAlice(namespace, "delete", "configmap", "small")
				}
				said = r.Stderr
				if strings.Contains(said, "the storage is full: about") && strings.Contains(said, "each namespace may take") && strings.Contains(said, "deleted or made smaller") {
					refused++
				}
			}
			return refused == len(attacked), said
		})
		if r := asAlice("other", "create", "configmap", "small", "--from-literal=a="+text); r.Code != 0 {
			t.Errorf("in another namespace: %s", r.Stderr)
		}
	})
	t.Run("APP-5 status warns by its text and its exit code", func(t *testing.T) {
		l := l.For(t)
		// The storage is near the limit of warnings, so a compaction may end one: the user goes on. Who takes most is counted once a minute.
		l.Eventually(3*time.Minute, "status warns of the etcd", func() (bool, string) {
			for _, namespace := range attacked {
				create(namespace)
			}
			r := l.Run("status")
			return (r.Code == 1 || r.Code == 9) && strings.Contains(r.Stdout, "configmaps/fill ("), r.Stdout + r.Stderr
		})
		l.Eventually(3*time.Minute, "an event and a condition tell it", func() (bool, string) {
			for _, namespace := range attacked {
				create(namespace)
			}
			said := l.Kubectl(l.Garden(), "get", "seed", "local", "-o", `jsonpath={.status.conditions[?(@.type=="StorageAvailable")].status}`) +
				l.Kubectl(l.Garden(), "get", "events", "-n", "default", "-o", "jsonpath={.items[*].message}")
			return (strings.HasPrefix(said, "False") || strings.HasPrefix(said, "Progressing")) && strings.Contains(said, "etcd-garden: the storage"), said
		})
	})
	blob := l.File("blob", strings.Repeat(text, 10))
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
		for _, namespace := range namespaces {
			if r := asAlice(namespace, "delete", "configmap", "--all"); r.Code != 0 {
				t.Fatalf("delete: %s", r.Stderr)
			}
		}
		l.Eventually(4*time.Minute, "the user can write again", func() (bool, string) {
			r := create("fill")
			return r.Code == 0, r.Stderr
		})
		l.Eventually(4*time.Minute, "status has nothing to say", func() (bool, string) {
			r := l.Run("status")
			return r.Code == 0, r.Stdout + r.Stderr
		})
	})
}
