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
	const hung, interrupted = "hung", "interrupted"
	for name, tc := range map[string]struct {
		cluster, known string
		complete       bool   // once: there is a kubeconfig
		state          string // of the container
		want           string // in the error
		lost           bool
		container      string
	}{
		"a cluster that nobody has noted is taken as it is":                {cluster: "old", complete: true, container: "1"},
		"the container that was noted goes on":                             {cluster: "old", complete: true, known: "1", container: "1"},
		"another container of that name is refused":                        {cluster: "old", complete: true, known: "2", want: "container old-control-plane of kind cluster old is another one", lost: true},
		"a container that was removed is not made again":                   {cluster: "made", complete: true, known: "1", want: "container made-control-plane of kind cluster made: it was removed", lost: true},
		"neither is one that nobody has noted, if it was complete":         {cluster: "made", complete: true, want: "it was removed", lost: true},
		"it is made again if that is wanted":                               {cluster: "made", complete: true, known: cluster.Anew, container: "1"},
		"a new cluster is made, and tells its container":                   {cluster: "made", container: "1"},
		"a container that does not answer keeps its data":                  {cluster: "made", complete: true, known: "1", state: hung, want: "container is paused"},
		"so does one that nobody has noted":                                {cluster: "made", complete: true, state: hung, want: "container is paused"},
		"a cluster whose creation was interrupted is made from the start":  {cluster: "made", state: interrupted, want: "interrupted again"},
		"one that does not answer and was never complete is made, as well": {cluster: "made", state: hung, want: "hung again"},
	} {
		t.Run("APP-4 "+name, func(t *testing.T) {
			dir, c := install(t, ""), made(t, tc.cluster)
			if tc.complete {
				write(t, c.Kubeconfig())
			}
			if tc.state != "" { // of a container that exists
				write(t, filepath.Join(dir, "made"))
				write(t, filepath.Join(dir, tc.state))
			}
			container, err := c.Ensure(t.Context(), tc.known)
			if container != tc.container && tc.want == "" {
				t.Errorf("container %q, want %q", container, tc.container)
			}
			calls := record(t, dir, "calls")
			removed, ran := strings.Contains(calls, "\nrm "), strings.Contains(calls, "\nrun ")
			if strings.HasSuffix(tc.want, " again") {
				if !removed || !ran {
					t.Errorf("calls are %s, error is %v", calls, err)
				}
				return
			}
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || errors.Is(err, cluster.ErrLost) != tc.lost || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if removed || ran || container != "" {
				t.Errorf("container %q, calls are %s", container, calls)
			}
		})
	}
}

func write(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
