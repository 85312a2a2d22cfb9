// Package cli runs the built binary as a user does: commands in a landscape of its own, with one directory for
// everything, a port the system chooses and address ranges that no other landscape uses. It knows nothing about tests,
// so that what measures (hack/bench) and what expects (e2e/framework) run the same commands.
package cli

import (
	"fmt"
	"net"
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
}

// New writes the configuration of a landscape to dir, an existing directory in which the user may write. It starts nothing.
func New(binary, dir string, user *syscall.Credential) (*Landscape, error) {
	l := &Landscape{Binary: binary, Dir: dir, StateDir: filepath.Join(dir, "state"), Config: filepath.Join(dir, "landscape.yaml"), User: user}
	pods, services, err := freeRanges()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf("frontDoor: {port: 0}\nstateDir: %s\nseed: {podCIDR: %s, serviceCIDR: %s}\n", l.StateDir, pods, services)
	return l, l.Write(l.Config, config)
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

// freeRanges finds address ranges whose node address nobody listens on. Even second octets are pods, odd ones services.
func freeRanges() (pods, services string, err error) {
	for n := 100 + os.Getpid()%10*2; n < 160; n += 2 {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.%d.0.1:10250", n))
		if err != nil {
			continue
		}
		_ = listener.Close()
		return fmt.Sprintf("127.%d.0.0/16", n), fmt.Sprintf("127.%d.0.0/16", n+1), nil
	}
	return "", "", fmt.Errorf("no free address range below 127.0.0.0/8")
}
