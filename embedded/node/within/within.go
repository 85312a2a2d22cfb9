// Package within finds out where paths lead that users can write to. Users of pods may put a symbolic link into every directory that
// they share with the machine, and the machine would follow it.
package within

import (
	"errors"
	"fmt"
	"path/filepath"
)

// ErrNotThere does not tell users what exists on the machine.
var ErrNotThere = errors.New("the path leads to nothing in its volume")

// Resolve returns where path leads, without symbolic links. The error is ErrNotThere unless that is base or something in it. Both must exist. Users
// must not be able to replace base. What they can replace in it may lead elsewhere a moment later, so who opens the result must not follow
// links.
func Resolve(path, base string) (string, error) {
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return "", fmt.Errorf("resolve volume: %w", err)
	}
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil || !Contains(realBase, realPath) {
		return "", ErrNotThere
	}
	return realPath, nil
}

// Contains reports whether a path is base or begins with it. It looks at the names only.
func Contains(base, path string) bool {
	rest, err := filepath.Rel(base, path)
	return err == nil && filepath.IsLocal(rest)
}
