package faults

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// withoutNetwork returns a file of a network namespace that has its loopback and nothing else. It is for nsenter --net. The file
// stays open until the tests end: the purge after a test needs it, too.
func withoutNetwork(t *testing.T) string {
	t.Helper()
	type result struct {
		file int
		err  error
	}
	made := make(chan result)
	go func() {
		runtime.LockOSThread() // without an end: the thread is in another namespace, so it ends with the goroutine
		file, err := emptyNamespace()
		made <- result{file, err}
	}()
	got := <-made
	if got.err != nil {
		t.Fatal(got.err)
	}
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), got.file)
}

// emptyNamespace moves the thread.
func emptyNamespace() (file int, err error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return 0, fmt.Errorf("make a network namespace: %w", err)
	}
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		return 0, fmt.Errorf("find the loopback of a network namespace: %w", err)
	}
	if err := netlink.LinkSetUp(loopback); err != nil {
		return 0, fmt.Errorf("bring the loopback up: %w", err)
	}
	return unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
}
