package state

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// WayBack returns a shell command that restores the last copy of a landscape's state that this binary can read, and the copies of
// its further seeds. It is empty if the landscape has no such copy. All changes after the copy are lost when a user runs the
// command.
func WayBack(p paths.Paths) string { return wayBack(p, release("")) }

func wayBack(p paths.Paths, own store.Release) string {
	copied := lastReadable(p, own)
	if copied == "" {
		return ""
	}
	steps := []string{replacement(p, copied)}
	for _, dir := range paths.Match(p.Seed("").Root(), "*") {
		seed := p.Seed(filepath.Base(dir))
		if copied := lastReadable(seed, own); copied != "" {
			steps = append(steps, replacement(seed, copied))
		}
	}
	return "(" + strings.Join(steps, " && ") + ")"
}

// lastReadable returns the newest copy that a binary can read, relative to the state directory, or "".
func lastReadable(p paths.Paths, own store.Release) string {
	for _, dir := range slices.Backward(paths.Match(p.Root(), filepath.Join(Upgrades, "2*"))) { // names begin with the time
		if of, ok := copiedRelease(filepath.Base(dir)); ok && notNewer(of, own) == nil {
			return filepath.Join(Upgrades, filepath.Base(dir))
		}
	}
	return ""
}

// replacement is the shell command that replaces the state in a directory by one of its copies.
func replacement(p paths.Paths, copied string) string {
	var names []string
	for _, path := range notMadeAgain(p) {
		names = append(names, filepath.Base(path))
	}
	return fmt.Sprintf("cd %s && rm -rf %s && cp -a %s/. .", paths.Quoted(p.Root()), strings.Join(names, " "), copied)
}
