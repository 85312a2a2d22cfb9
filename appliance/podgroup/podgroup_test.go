package podgroup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

func TestDescribe(t *testing.T) {
	for want, root := range map[string]groups.Root{
		"control groups of version 2 limit the memory, processor and processes of pods":               {Group: groups.Group{Version: 2, Memory: "a", CPU: "a", Processes: "a"}},
		"control groups of version 2 limit the memory and processes of pods, but not their processor": {Group: groups.Group{Version: 2, Memory: "a", Processes: "a"}},
		"memory of pods is measured, their processor and processes are not limited: why":              {Reason: "why"},
	} {
		if got := Describe(root); got != want {
			t.Errorf("APP-11 got %q, want %q", got, want)
		}
	}
}

func TestRemove(t *testing.T) {
	dir := layout.Dir(t.TempDir())
	write := func(root groups.Root) {
		t.Helper()
		if err := os.WriteFile(dir.Group(), root.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("APP-11 a killed landscape leaves groups, which go at the next start or at purge", func(t *testing.T) {
		group := filepath.Join(t.TempDir(), "gardener-local-1")
		if err := os.MkdirAll(filepath.Join(group, "shoot", "node", "pod"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(groups.Root{Group: groups.Group{Version: 2, Memory: group}})
		for range 2 {
			if err := Remove(dir); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{group, dir.Group()} {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	t.Run("APP-11 nothing else is removed", func(t *testing.T) {
		other := t.TempDir()
		write(groups.Root{Group: groups.Group{Version: 2, Memory: other}})
		if err := Remove(dir); err == nil {
			t.Error("no error")
		}
		if _, err := os.Stat(other); err != nil {
			t.Error(err)
		}
	})
}
