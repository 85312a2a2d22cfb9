package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/local/cluster"
)

func TestNodeNames(t *testing.T) {
	want := []string{"x-control-plane", "x-worker", "x-worker2"}
	if diff := cmp.Diff(want, cluster.Config{Name: "x", Others: make([]cluster.Node, 2)}.NodeNames()); diff != "" {
		t.Errorf("names as the kind library chooses them (-want +got):\n%s", diff)
	}
}

func TestSeveralNodes(t *testing.T) {
	t.Run("nodes take turns with the zones, and name servers are spread", func(t *testing.T) {
		dir := install(t, "")
		if _, err := made(t, "old", "a", "b").Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
		calls := record(t, dir, "calls")
		for _, want := range []string{"sh true old-control-plane a old-worker b old-worker2 a\n", "patch deployment coredns"} {
			if !strings.Contains(calls, want) {
				t.Errorf("no call has %q: %s", want, calls)
			}
		}
	})
	t.Run("a stopped node is started again, whichever it is", func(t *testing.T) {
		dir := install(t, "")
		if err := os.WriteFile(filepath.Join(dir, "stopped-old-worker"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		c := made(t, "old", "a", "b")
		if err := c.Running(t.Context()); err == nil || !strings.Contains(err.Error(), "old-worker ") {
			t.Errorf("a stopped node is told as %v", err)
		}
		if _, err := c.Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
		if calls := record(t, dir, "calls"); strings.Count(calls, "\nstart ") != 1 || !strings.Contains(calls, "\nstart old-worker\n") {
			t.Errorf("calls are %s", calls)
		}
	})
}
