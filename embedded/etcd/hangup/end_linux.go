package hangup

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// accepted returns the descriptors of the connections that this process has accepted at the ports.
func accepted(ports map[int]bool) ([]int, error) {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, fmt.Errorf("list open files of this process: %w", err)
	}
	var out []int
	for _, file := range files {
		if descriptor, err := strconv.Atoi(file.Name()); err == nil && ports[acceptedAt(descriptor)] {
			out = append(out, descriptor)
		}
	}
	return out, nil
}

// acceptedAt is the port at this end of a connection, and 0 for all other files. A listener has no other end.
func acceptedAt(descriptor int) int {
	local, err := unix.Getsockname(descriptor)
	if err != nil {
		return 0 // no socket
	}
	if _, err := unix.Getpeername(descriptor); err != nil {
		return 0
	}
	switch address := local.(type) {
	case *unix.SockaddrInet4:
		return address.Port
	case *unix.SockaddrInet6:
		return address.Port
	}
	return 0
}

// end shuts a connection down. It is no error if that is closed meanwhile.
func end(descriptor int) { _ = unix.Shutdown(descriptor, unix.SHUT_RDWR) }
