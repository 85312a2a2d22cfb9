// Package cli runs the built binary as a user does: commands in a landscape of its own, with one directory for
// everything, a port the system chooses and address ranges that no other landscape uses. It knows nothing about tests,
// so that what measures (hack/bench) and what expects (e2e/framework) run the same commands.
package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Landscape is a landscape that may run or not.
type Landscape struct {
	Binary string
	// Dir is the working directory of all commands; the state is below it.
	Dir, StateDir, Config string
	// User runs the commands; nil means the user of this process.
	User *syscall.Credential
	// Env is added to the environment of all commands, which is otherwise the same everywhere.
	Env []string

	ranges *ranges
}

// New writes the configuration of a landscape to dir, an existing directory in which the user may write. It starts
// nothing. The caller releases the landscape after it has been purged.
func New(binary, dir string, user *syscall.Credential) (*Landscape, error) {
	l := &Landscape{Binary: binary, Dir: dir, StateDir: filepath.Join(dir, "state"), Config: filepath.Join(dir, "landscape.yaml"), User: user}
	var err error
	if l.ranges, err = reserveRanges(); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("frontDoor: {port: 0}\nstateDir: %s\nseed: {podCIDR: %s, serviceCIDR: %s}\n", l.StateDir, l.ranges.pods, l.ranges.services)
	if err := l.Write(l.Config, config); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// NewKind is New for a landscape whose seed is a kind cluster, which needs no address ranges of the host. Its name has to
// be one that no other landscape of the container engine has. nodeImages are images by version of Kubernetes.
func NewKind(binary, dir, name, nodeImage string, nodeImages map[string]string) (*Landscape, error) {
	l := &Landscape{Binary: binary, Dir: dir, StateDir: filepath.Join(dir, "state"), Config: filepath.Join(dir, "landscape.yaml")}
	config, err := json.Marshal(map[string]any{
		"name": name, "stateDir": l.StateDir, "frontDoor": map[string]any{"port": 0},
		"seed": map[string]any{"provider": "kind", "nodeImage": nodeImage, "nodeImages": nodeImages},
	})
	if err != nil {
		return nil, err
	}
	return l, l.Write(l.Config, string(config))
}

// Release gives the address ranges of the landscape to others.
func (l *Landscape) Release() {
	if l.ranges != nil {
		_ = l.ranges.reserved.Close()
	}
}

// Garden is the kubeconfig of the garden's administrator; up writes it.
func (l *Landscape) Garden() string { return filepath.Join(l.StateDir, "kubeconfigs", "garden.yaml") }

// Seed is the kubeconfig of the runtime cluster.
func (l *Landscape) Seed() string { return filepath.Join(l.StateDir, "kubeconfigs", "seed.yaml") }

// Log is what the daemon writes.
func (l *Landscape) Log() string { return filepath.Join(l.StateDir, "logs", "gardener.log") }

// Write makes a file that the user of the landscape may read.
func (l *Landscape) Write(file, content string) error {
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return err
	}
	if l.User == nil {
		return nil
	}
	return os.Chown(file, int(l.User.Uid), int(l.User.Gid))
}
