package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// maxSocketPath is the size of sockaddr_un.sun_path on Linux without the terminating zero.
const maxSocketPath = 107

// listen makes the control socket and replaces the stale socket of an earlier daemon. The caller holds the lock.
func listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("remove stale control socket: %w", err)
	}
	short, release, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer release()
	listener, err := net.Listen("unix", short)
	if err != nil {
		return nil, fmt.Errorf("listen on control socket: %w", err)
	}
	return listener, os.Chmod(path, 0o600)
}

func dial(path string) (net.Conn, error) {
	short, release, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer release()
	return net.Dial("unix", short)
}

// shorten returns a path to the same socket that is short enough for the kernel, since state directories may be deep.
func shorten(path string) (string, func(), error) {
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, fmt.Errorf("open directory of control socket: %w", err)
	}
	short := fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))
	return short, func() { _ = dir.Close() }, nil
}
