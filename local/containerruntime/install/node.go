package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

const (
	configPath = "/etc/containerd/config.toml"
	// pendingDir records the changes for which containerd has yet to be restarted.
	pendingDir = "/var/lib/gardener-container-runtimes"
	runc       = "runc"
)

// programDirs are the directories in which the node may have runc.
func programDirs() []string {
	return []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}

// Node is the node that gets the runtime.
type Node struct {
	// Root is the directory with the node's files.
	Root string
	// Restart restarts containerd.
	Restart func(context.Context) error
}

// Install makes the handler known to containerd and reports whether it changed anything. It may be interrupted at
// any time.
func (n Node) Install(ctx context.Context, handler, binaryPath string) (changed bool, err error) {
	program := filepath.Join(binaryPath, handler)
	if err := n.copyProgram(program); err != nil {
		return false, err
	}
	current, err := os.ReadFile(n.at(configPath))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("read configuration of containerd: %w", err)
	}
	wanted, err := withHandler(current, handler, program)
	if err != nil {
		return false, err
	}
	pending := filepath.Join(pendingDir, handler)
	if !bytes.Equal(wanted, current) {
		// The pending file is written first, so that the next run restarts containerd if this one is interrupted.
		if err := errors.Join(n.write(pending, nil, 0o600), n.write(configPath, wanted, 0o644)); err != nil {
			return false, err
		}
	} else if _, err := os.Stat(n.at(pending)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := n.Restart(ctx); err != nil {
		return true, fmt.Errorf("restart containerd: %w", err)
	}
	return true, os.Remove(n.at(pending))
}

// copyProgram copies the node's runc to another name.
func (n Node) copyProgram(to string) error {
	for _, dir := range programDirs() {
		source, err := os.ReadFile(n.at(filepath.Join(dir, runc)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", runc, err)
		}
		if present, err := os.ReadFile(n.at(to)); err == nil && bytes.Equal(present, source) {
			return nil
		}
		return n.write(to, source, 0o755)
	}
	return fmt.Errorf("the node has no %s in any of %v", runc, programDirs())
}

// at returns the location of a path of the node.
func (n Node) at(path string) string { return filepath.Join(n.Root, filepath.Clean("/"+path)) }

// write replaces a file as a whole.
func (n Node) write(path string, content []byte, mode fs.FileMode) error {
	target := n.at(path)
	err := os.MkdirAll(filepath.Dir(target), 0o755)
	if err == nil {
		err = atomicfile.Write(target, content, mode)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
