package seeds

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// island is a network namespace whose only interface is its loopback interface. No connection leads into it. The test carries
// connections out of it to one address of the machine, and counts them.
type island struct {
	file  *os.File // of the namespace
	exit  net.Listener
	outer string // where connections go, host:port
	count atomic.Int64
}

// newIsland makes a namespace in which the address leads to the same address of the machine.
func newIsland(t *testing.T, address string) *island {
	t.Helper()
	if os.Geteuid() != 0 {
		testskip.OutsideCI(t, "a network namespace needs root")
	}
	i := &island{outer: address}
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this function
		made <- i.enter()
	}()
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = i.exit.Close()
		_ = i.file.Close()
	})
	go i.carry()
	return i
}

// enter moves its thread into a new namespace and listens there.
func (i *island) enter() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network namespace: %w", err)
	}
	var err error
	if i.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bring up the loopback interface: %w", err)
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, found := range interfaces {
		if found.Flags&(net.FlagLoopback|net.FlagUp) == net.FlagUp {
			return fmt.Errorf("the new network namespace has the interface %s", found.Name)
		}
	}
	i.exit, err = net.Listen("tcp", i.outer)
	return err
}

func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback)
}

// carry takes connections from inside until the listener is closed.
func (i *island) carry() {
	for {
		inner, err := i.exit.Accept()
		if err != nil {
			return
		}
		i.count.Add(1)
		go func() {
			defer func() { _ = inner.Close() }()
			outer, err := net.Dial("tcp", i.outer)
			if err != nil {
				return
			}
			defer func() { _ = outer.Close() }()
			go func() {
				_, _ = io.Copy(outer, inner)
				_ = outer.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(inner, outer)
		}()
	}
}

// settle makes all commands of the landscape run in the namespace.
func (i *island) settle(t *testing.T, l *framework.Landscape) {
	t.Helper()
	if _, err := exec.LookPath("nsenter"); err != nil {
		testskip.OutsideCI(t, err)
	}
	file := filepath.Join(l.Dir, "gardener-inside")
	script := fmt.Sprintf("#!/bin/sh\nexec nsenter --net=/proc/%d/fd/%d -- %s \"$@\"\n", os.Getpid(), i.file.Fd(), l.Binary)
	if err := os.WriteFile(file, []byte(script), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	l.Binary, l.Apart = file, true
}
