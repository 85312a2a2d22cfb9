package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// devices are the files of /dev that gVisor uses.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// binder makes the mounts of containers. It lives in a mount namespace of its own, which has the machine's files.
type binder struct{ requests chan<- request }

// request is a function of the binder's thread, with the directory for mounts.
type request struct {
	do   func(mounts string) error
	done chan<- error
}

// leave leaves the machine's file system for one that has only the directory of the pod, devices, processes and the mounts of containers.
// So gVisor, which looks for mount points by their paths, can be led to nothing else by links in volumes. dir is absolute, without links.
func leave(dir string) (*binder, error) {
	root := filepath.Join(dir, "root")
	if err := furnish(root, dir); err != nil {
		return nil, fmt.Errorf("make the root of the pod: %w", err)
	}
	b, err := startBinder(filepath.Join(root, wire.Mounts))
	if err != nil {
		return nil, err
	}
	if err := enter(root); err != nil {
		return nil, fmt.Errorf("enter the root of the pod: %w", err)
	}
	return b, nil
}

// furnish mounts what the root consists of.
func furnish(root, dir string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	if err := mount("tmpfs", root, "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return err
	}
	for _, device := range devices {
		if err := bindFile(device, filepath.Join(root, device)); err != nil {
			return err
		}
	}
	for _, name := range []string{dir, "/tmp", "/proc", wire.Mounts} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			return err
		}
	}
	if err := mount(dir, filepath.Join(root, dir), "", unix.MS_BIND, ""); err != nil {
		return err
	}
	if err := mount("/proc", filepath.Join(root, "proc"), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	mounts := filepath.Join(root, wire.Mounts)
	if err := mount("tmpfs", mounts, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700"); err != nil {
		return err
	}
	return mount("", mounts, "", unix.MS_SHARED, "") // what the binder mounts here appears in the namespace of the agent
}

func bindFile(source, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		return err
	}
	return mount(source, target, "", unix.MS_BIND, "")
}

// enter makes a directory the root of this namespace, which loses all other files.
func enter(root string) error {
	if err := unix.Chdir(root); err != nil {
		return os.NewSyscallError("chdir", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil { // the old root is mounted above the new one until it is detached
		return os.NewSyscallError("pivot_root", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("umount", err)
	}
	return os.NewSyscallError("chdir", unix.Chdir("/"))
}

// startBinder keeps the present files for one thread, which makes mounts in a directory for as long as the process lives.
func startBinder(mounts string) (*binder, error) {
	requests, started := make(chan request), make(chan error)
	go func() {
		runtime.LockOSThread() // for ever: no other goroutine may see the machine
		err := os.NewSyscallError("unshare", unix.Unshare(unix.CLONE_FS|unix.CLONE_NEWNS))
		started <- err
		if err != nil {
			return
		}
		for r := range requests {
			r.done <- r.do(mounts)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("separate the mounts of containers: %w", err)
	}
	return &binder{requests}, nil
}

// bind shows a source at its name.
func (b *binder) bind(source wire.Bind) error {
	if b == nil {
		return errors.New("a spawner makes no mounts")
	}
	return b.call(func(mounts string) error { return bind(source, mounts) })
}

// unbind ends mounts. What cannot be unmounted stays until the pod ends.
func (b *binder) unbind(name string) {
	_ = b.call(func(mounts string) error { unbind(filepath.Join(mounts, name)); return nil })
}

func (b *binder) call(do func(mounts string) error) error {
	done := make(chan error)
	b.requests <- request{do, done}
	return <-done
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}
