package backup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

// paused takes the steps of docs/pause.md, and looks between them whether the landscape costs anything.
func paused(t *testing.T, f *fixture) {
	steps := follow.Steps(t, "docs/pause.md", "e2e/backup")
	end := slices.IndexFunc(steps, func(s console.Step) bool { return strings.HasPrefix(s.Command, "gardener resume") })
	var before, after struct{ FrontDoor, NameServer string }
	f.Status(&before)
	f.reader.Follow(t, "a pause", steps[:end])
	f.costsNothing()
	f.saysPaused()
	if r := f.Run("run", "--stay-paused"); r.Code != 0 || !strings.Contains(r.Stdout, "is paused since") {
		t.Errorf("run --stay-paused ends with %d: %s%s", r.Code, r.Stdout, r.Stderr)
	}
	f.costsNothing()
	f.reader.Follow(t, "the end of a pause", steps[end:])
	if f.Status(&after); after != before {
		t.Errorf("addresses are %v, were %v", after, before)
	}
	f.has("kept-1", "kept-2", "kept-3", "kept-4", "kept-5")
	f.Eventually(2*time.Minute, "the node is ready again", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "get", "nodes", "-o", `jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}`)
		return r.Stdout == "True", r.Stdout + r.Stderr
	})
}

// pausedThenStopped is for a landscape that is removed next.
func pausedThenStopped(t *testing.T, f *fixture) {
	f.Gardener("pause")
	if said := f.Gardener("pause"); !strings.Contains(said, "is paused already") {
		t.Errorf("a second pause says %q", said)
	}
	if said := f.Gardener("down"); !strings.Contains(said, "was paused and is stopped now") {
		t.Errorf("down says %q", said)
	}
	if r := f.Run("pause"); r.Code != 3 || !strings.Contains(r.Stderr, "is not running") {
		t.Errorf("the pause of a landscape that is stopped ends with %d: %s%s", r.Code, r.Stdout, r.Stderr)
	}
}

func (f *fixture) costsNothing() {
	f.t.Helper()
	f.Eventually(time.Minute, "no process is left", func() (bool, string) {
		left := f.Processes()
		return len(left) == 0, fmt.Sprint(left)
	})
}

// saysPaused asks commands of all kinds how the landscape is.
func (f *fixture) saysPaused() {
	f.t.Helper()
	for _, command := range [][]string{
		{"status"}, {"events"}, {"shoot", "list"}, {"seed", "list"}, {"kubeconfig", "garden"}, {"kubectl", "get", "shoots"}, {"part", "stop", "gardener-scheduler"},
		{"credential", "garden"}, {"metrics", "get"},
	} {
		r := f.Run(command...)
		if r.Code != 3 || !strings.Contains(r.Stderr, "is paused since") || !strings.Contains(r.Stderr, "gardener resume") || !strings.Contains(r.Stderr, "GRD-301") {
			f.t.Errorf("gardener %v ends with %d and does not say how to resume: %s%s", command, r.Code, r.Stdout, r.Stderr)
		}
	}
	var all []struct{ StateDir, Paused string }
	if err := json.Unmarshal([]byte(f.Gardener("landscape", "list", "-o", "json")), &all); err != nil {
		f.t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(l struct{ StateDir, Paused string }) bool { return l.StateDir == f.StateDir && l.Paused != "" }) {
		f.t.Errorf("landscapes %v", all)
	}
}
