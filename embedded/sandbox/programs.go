package sandbox

import (
	"embed"
	"errors"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/unpack"
)

// ErrNotBuiltIn says that this binary was built without the programs.
var ErrNotBuiltIn = errors.New("this binary was built without gVisor: build it with make")

//go:embed all:bin
var built embed.FS

// Programs are the paths of the unpacked programs. All are absolute.
type Programs struct {
	// Runsc is gVisor's program. With the argument "agent" or "spawner" it serves a node, see package agent.
	Runsc string
	// PauseRoot is a directory with nothing but the program pause, the root file system of a pod's first container.
	PauseRoot string
}

// Unpack writes the programs below dir, unless they are there. Programs of different binaries have different paths, so that
// sandboxes that run are not disturbed. The error is ErrNotBuiltIn if there are none.
func Unpack(dir string) (Programs, error) {
	runsc, err := unpack.Program(built, dir, "runsc", ErrNotBuiltIn)
	if err != nil {
		return Programs{}, err
	}
	pause, err := unpack.Program(built, dir, "pause", ErrNotBuiltIn)
	if err != nil {
		return Programs{}, err
	}
	return Programs{Runsc: runsc, PauseRoot: filepath.Dir(pause)}, nil
}
