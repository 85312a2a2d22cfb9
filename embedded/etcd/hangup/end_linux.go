package hangup

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// end shuts down the connections that this process has accepted at a port, and returns their number.
func end(port int) (int, error) {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, fmt.Errorf("list open files of this process: %w", err)
	}
	ended := 0
	var errs []error
	for _, file := range files {
		descriptor, err := strconv.Atoi(file.Name())
		if err != nil || !accepted(descriptor, port) {
			continue
		}
		if err := unix.Shutdown(descriptor, unix.SHUT_RDWR); err != nil {
			errs = append(errs, fmt.Errorf("shut down a connection: %w", err))
			continue
		}
		ended++
	}
	return ended, errors.Join(errs...)
}

// accepted reports whether an open file is a connection whose end here has the port. A listener has no other end.
func accepted(descriptor, port int) bool {
	local, err := unix.Getsockname(descriptor)
	if err != nil {
		return false // no socket
	}
	if _, err := unix.Getpeername(descriptor); err != nil {
		return false
	}
	switch address := local.(type) {
	case *unix.SockaddrInet4:
		return address.Port == port
	case *unix.SockaddrInet6:
		return address.Port == port
	}
	return false
}
