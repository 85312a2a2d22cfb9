package cluster_test

import (
	"errors"
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
		if _, err := made(t, "old", "a", "b").Ensure(t.Context(), ""); err != nil {
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
		if _, err := c.Ensure(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if calls := record(t, dir, "calls"); strings.Count(calls, "\nstart ") != 1 || !strings.Contains(calls, "\nstart old-worker\n") {
			t.Errorf("calls are %s", calls)
		}
	})
}

func TestLost(t *testing.T) {
	for name, tc := range map[string]struct {
		cluster, known string
		lost           string // in the error
		container      string
	}{
		"a cluster that nobody has noted is taken as it is": {cluster: "old", container: "1"},
		"the container that was noted goes on":              {cluster: "old", known: "1", container: "1"},
		"another container of that name is refused":         {cluster: "old", known: "2", lost: "container old-control-plane of kind cluster old is another one"},
		"a container that was removed is not made again":    {cluster: "made", known: "1", lost: "container made-control-plane of kind cluster made: it was removed"},
		"a new cluster is made, and tells its container":    {cluster: "made", container: "1"},
	} {
		t.Run("APP-4 "+name, func(t *testing.T) {
			dir := install(t, "")
			container, err := made(t, tc.cluster).Ensure(t.Context(), tc.known)
			if container != tc.container {
				t.Errorf("container %q, want %q", container, tc.container)
			}
			if tc.lost == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, cluster.ErrLost) || !strings.Contains(err.Error(), tc.lost) {
				t.Errorf("error %v, want %q", err, tc.lost)
			}
			if calls := record(t, dir, "calls"); strings.Contains(calls, "\nrun ") || strings.Contains(calls, "\nrm ") || strings.Contains(calls, "\nstart ") {
				t.Errorf("calls are %s", calls)
			}
		})
	}
}
