// Package cli runs the built binary as a user does. It runs commands in a landscape of its own, which has one
// directory for everything, a port that the system chooses, and address ranges that no other landscape uses. It
// knows nothing about tests, so that the benchmark (hack/bench) and the tests (e2e/framework) run the same commands.
package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Landscape is a landscape, running or not.
type Landscape struct {
	Binary string
	// Dir is the working directory of all commands. The state is below it.
	Dir, StateDir, Config string
	// User runs the commands; nil means the user of this process.
	User *syscall.Credential
	// Apart says that Binary takes commands to another place, such as a network of their own, so that none may run in this process.
	Apart bool
	// Env is added to the environment of all commands, which is otherwise the same everywhere.
	Env []string

	ranges *ranges
}

// Simulate is a line of the configurations that New writes. Tests of containers in sandboxes take it out.
const Simulate = "containers: simulate\n"

// New writes the configuration of a landscape to dir, an existing directory that the user can write. It starts
// nothing. Containers of its shoots are simulated. The caller must release the landscape after purging it.
func New(binary, dir string, user *syscall.Credential) (*Landscape, error) {
	l := &Landscape{Binary: binary, Dir: dir, StateDir: filepath.Join(dir, "state"), Config: filepath.Join(dir, "landscape.yaml"), User: user}
	var err error
	if l.ranges, err = reserveRanges(); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("frontDoor: {port: 0}\nstateDir: %s\nseed: {podCIDR: %s, serviceCIDR: %s}\n"+Simulate, l.StateDir, l.ranges.pods, l.ranges.services)
	if err := l.Write(l.Config, config); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// NewKind is New for a landscape whose seed is a kind cluster, which needs no address ranges of the host. Its name
// must be unique on the container engine. nodeImages are images by Kubernetes version.
func NewKind(binary, dir, name, nodeImage string, nodeImages map[string]string) (*Landscape, error) {
	l := &Landscape{Binary: binary, Dir: dir, StateDir: filepath.Join(dir, "state"), Config: filepath.Join(dir, "landscape.yaml")}
	config, err := json.Marshal(map[string]any{
		"name": name, "stateDir": l.StateDir, "frontDoor": map[string]any{"port": 0}, "containers": "simulate",
		"seed": map[string]any{"provider": "kind", "nodeImage": nodeImage, "nodeImages": nodeImages},
	})
	if err != nil {
		return nil, err
	}
	return l, l.Write(l.Config, string(config))
}

// NewHome is a home without any configuration, in dir. Landscapes in it choose ports and ranges by themselves; arguments of the commands
// name them.
func NewHome(binary, dir string) *Landscape {
	return &Landscape{Binary: binary, Dir: dir, StateDir: filepath.Join(dir, ".local", "state")}
}

// Release makes the address ranges of the landscape available to others.
func (l *Landscape) Release() {
	if l.ranges != nil {
		_ = l.ranges.reserved.Close()
	}
}

// All are the landscapes in a home, each with its files. Without a home it is the landscape itself.
func (l *Landscape) All() []*Landscape {
	if l.Config != "" {
		return []*Landscape{l}
	}
	var all []*Landscape
	dirs, _ := filepath.Glob(filepath.Join(l.StateDir, "gardener", "*")) // fails for bad patterns only
	for _, dir := range dirs {
		one := *l
		one.StateDir = dir
		all = append(all, &one)
	}
	return all
}

// Garden is the kubeconfig of the garden's administrator; up writes it.
func (l *Landscape) Garden() string { return filepath.Join(l.StateDir, "kubeconfigs", "garden.yaml") }

// Seed is the kubeconfig of the runtime cluster.
func (l *Landscape) Seed() string { return filepath.Join(l.StateDir, "kubeconfigs", "seed.yaml") }

// Log is what the daemon writes.
func (l *Landscape) Log() string { return filepath.Join(l.StateDir, "logs", "gardener.log") }

// Write creates a file that the user of the landscape can read.
func (l *Landscape) Write(file, content string) error {
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return err
	}
	if l.User == nil {
		return nil
	}
	return os.Chown(file, int(l.User.Uid), int(l.User.Gid))
}
