package seeds

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestSeedsAsOrdinaryUser tests the part that needs privileges which ordinary users have only in their own namespaces:
// the cluster of a further seed is a node in a landscape that already has such namespaces.
func TestSeedsAsOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the test itself runs as an ordinary user, so TestSeeds was about the seeds of one")
	}
	l := framework.NewAsOrdinaryUser(t)
	l.Gardener("up")
	l.Gardener("seed", "add", "two")
	text, err := os.ReadFile(filepath.Join("testdata", "shoots.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	chosen, _, _ := strings.Cut(string(text), "\n---\n")
	l.Kubectl(l.Garden(), "create", "-f", l.File("chosen.yaml", chosen))
	l.Gardener("shoot", "wait", "chosen", "-n", "garden-local", "--timeout="+patience.String())
	if nodes := strings.Fields(l.Kubectl(l.Shoot("garden-local", "chosen"), "get", "nodes", "-o", "name")); len(nodes) != 1 {
		t.Errorf("nodes %v, want one", nodes)
	}
	if r := l.TryKubectl(l.Garden(), "delete", "seed", "two"); r.Code == 0 || !strings.Contains(r.Stderr, "it is used by shoot garden-local/chosen") {
		t.Errorf("deleted in use: %d %s", r.Code, r.Stderr)
	}
	l.Gardener("shoot", "delete", "chosen", "-n", "garden-local", "--yes", "--timeout="+patience.String())
	deleteSeed(t, l, "two")
}

// deleteSeed deletes the Seed of a further seed, which also stops the seed, and makes sure that it does not come back.
func deleteSeed(t *testing.T, l *framework.Landscape, name string) {
	t.Helper()
	l.Kubectl(l.Garden(), "delete", "seed", name, "--timeout="+patience.String())
	l.Eventually(patience, "seed "+name+" goes", func() (bool, string) {
		status := l.StatusTable()
		_, err := os.Stat(filepath.Join(l.StateDir, "seeds", name))
		return errors.Is(err, os.ErrNotExist) && !strings.Contains(status, "-"+name), status
	})
	if r := l.TryKubectl(l.Garden(), "get", "seed", name); !strings.Contains(r.Stderr, "not found") {
		t.Errorf("the Seed is back: %s%s", r.Stdout, r.Stderr)
	}
	if r := l.Run("logs", name); r.Code != 6 {
		t.Errorf("log of a seed that is gone: %d", r.Code)
	}
}
