// Package podgroup makes the control group of a landscape's sandboxed pods, and removes it. A file beside the sandboxes names it, for the kubelets of all seeds, for the
// next start and for purge.
package podgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// prefix begins the name of each group, so that nothing else is removed.
const prefix = "gardener-"

// Open makes the group of a landscape, by its ID, and removes that of an earlier start which did not end well. Where no group can be made, Root.Reason
// says why.
func Open(dir layout.Dir, id string) (groups.Root, error) {
	if err := Remove(dir); err != nil {
		return groups.Root{}, err
	}
	var root groups.Root
	made, err := groups.Make(prefix + id)
	switch {
	case err == nil:
		root.Group = made
	case errors.Is(err, groups.ErrNone):
		root.Reason = err.Error()
	default:
		return root, err
	}
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return root, err
	}
	return root, atomicfile.Write(dir.Group(), root.Encode(), 0o600)
}

// Remove removes the group that Open has made and the groups in it, whose processes must have ended or be ending. It is no error if there is none.
func Remove(dir layout.Dir) error {
	root, err := groups.Read(dir.Group())
	if err != nil {
		return err
	}
	for _, path := range []string{root.Memory, root.CPU, root.Processes} {
		if path != "" && !strings.HasPrefix(filepath.Base(path), prefix) {
			return fmt.Errorf("read control group of pods: %s is none of a landscape", path)
		}
	}
	if err := root.Remove(); err != nil {
		return fmt.Errorf("remove the control group of pods: %w", err)
	}
	if err := os.Remove(dir.Group()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Describe says what of pods is limited, for users.
func Describe(root groups.Root) string {
	if !root.Exists() {
		return "memory of pods is measured, their processor and processes are not limited: " + root.Reason
	}
	without := root.Unlimited()
	with := slices.DeleteFunc([]string{"memory", "processor", "processes"}, func(what string) bool { return slices.Contains(without, what) })
	text := fmt.Sprintf("control groups of version %d limit the %s of pods", root.Version, join(with))
	if len(without) > 0 {
		text += ", but not their " + join(without)
	}
	return text
}

func join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
