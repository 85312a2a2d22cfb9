package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/moby/sys/userns"
	"k8s.io/kubernetes/pkg/kubelet/container"
)

// legacyLogs is where kubelets put links to logs for collectors of long ago. It is the machine's, maybe another
// kubelet's, so it is left alone.
const legacyLogs = "/var/log/containers/"

// system is the operating system as the kubelet sees it.
type system struct{ container.RealOS }

// Symlink ignores links to logs.
func (s system) Symlink(source, path string) error {
	if strings.HasPrefix(path, legacyLogs) {
		return nil
	}
	return s.RealOS.Symlink(source, path)
}

// Remove ignores links to logs.
func (s system) Remove(path string) error {
	if strings.HasPrefix(path, legacyLogs) {
		return nil
	}
	return s.RealOS.Remove(path)
}

// Glob finds no links to logs.
func (s system) Glob(pattern string) ([]string, error) {
	if strings.HasPrefix(pattern, legacyLogs) {
		return nil, nil
	}
	return s.RealOS.Glob(pattern)
}

const kernelLog = "/dev/kmsg"

// readableKernelLog sees to the file from which the kubelet learns of processes that ran out of memory. Outside user
// namespaces the kubelet insists on it; containers often lack it, and an empty one does there.
func readableKernelLog() error {
	file, err := os.Open(kernelLog)
	if err == nil {
		return file.Close()
	}
	if userns.RunningInUserNS() {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Symlink(os.DevNull, kernelLog)
	}
	if err != nil {
		return fmt.Errorf("kubelet needs to read %s outside user namespaces: %w", kernelLog, err)
	}
	return nil
}
