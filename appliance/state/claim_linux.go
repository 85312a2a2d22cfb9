package state

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// claim binds an abstract socket that stands for the port. It does not listen, so nobody can connect. It has no file, and belongs to the
// same network namespace as the port. A socket at the port itself would be in the way of its server. The error is EADDRINUSE if somebody
// has claimed it.
func claim(port int32) (io.Closer, error) {
	name := fmt.Sprintf("@gardener-up/port/%d", port)
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: name}); err != nil {
		_ = syscall.Close(socket)
		return nil, fmt.Errorf("bind %s: %w", name, err)
	}
	return os.NewFile(uintptr(socket), name), nil
}
