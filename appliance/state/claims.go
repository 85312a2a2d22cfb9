package state

import (
	"errors"
	"io"
	"syscall"
)

// claims keep ports from other landscapes between their choice and the start of their servers, which may take a minute: until then
// nobody listens there. They are known to all processes on the machine that ask for them, whatever their user and state directory is.
// The kernel releases them when the process ends, however it ends.
type claims map[int32]io.Closer

// take claims a port. It returns false if another landscape has it. Where ports cannot be claimed, the caller gets what it asks for.
func (c claims) take(port int32) bool {
	if _, mine := c[port]; mine {
		return true
	}
	claimed, err := claim(port)
	if err != nil {
		return !errors.Is(err, syscall.EADDRINUSE)
	}
	c[port] = claimed
	return true
}

// release gives up the claim of a port, if there is one.
func (c claims) release(port int32) error {
	claimed, found := c[port]
	if !found {
		return nil
	}
	delete(c, port)
	return claimed.Close()
}

// Close releases all.
func (c claims) Close() error {
	var errs []error
	for port := range c {
		errs = append(errs, c.release(port))
	}
	return errors.Join(errs...)
}
