package preflight

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestOpenFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		limit syscall.Rlimit
		says  string
		err   string
	}{
		"APP-35 a soft limit does not matter, since each process raises it": {limit: syscall.Rlimit{Cur: 256, Max: 4096}, says: "4096 are allowed"},
		"APP-35 a hard limit that is just enough":                           {limit: syscall.Rlimit{Cur: minOpenFiles, Max: minOpenFiles}, says: "1024 are allowed"},
		"APP-35 a hard limit that is too low is refused with the cure":      {limit: syscall.Rlimit{Cur: 256, Max: 256}, err: "only 256 open files are allowed, 1024 are needed: raise the limit (ulimit -n)"},
	} {
		t.Run(name, func(t *testing.T) {
			says, err := checkOpenFiles(tc.limit)
			if says != tc.says || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
				t.Errorf("it says %q, %v", says, err)
			}
		})
	}
}

func TestReadOnlyHome(t *testing.T) {
	if os.Geteuid() != 0 {
		home := t.TempDir()
		if err := os.Chmod(home, 0o500); err != nil {
			t.Fatal(err)
		}
		checkReadOnly(t, home)
		return
	}
	// Root may write everywhere but in a file system that is mounted read-only.
	home, ended := t.TempDir(), make(chan error)
	go func() {
		runtime.LockOSThread() // without an end: the thread has mounts of its own, so it ends with the goroutine
		err := unix.Unshare(unix.CLONE_NEWNS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			err = unix.Mount("none", home, "tmpfs", unix.MS_RDONLY, "")
		}
		if err == nil {
			checkReadOnly(t, home)
		}
		ended <- err
	}()
	if err := <-ended; err != nil {
		t.Skipf("mount a read-only home: %v", err)
	}
}

// checkReadOnly expects that a state directory in the home is refused, whether its parents exist, and one elsewhere is not.
func checkReadOnly(t *testing.T, home string) {
	t.Helper()
	for _, below := range []string{"state", ".local/state/gardener/local"} {
		p, err := paths.New(filepath.Join(home, below))
		if err != nil {
			t.Error(err)
			continue
		}
		if err := writable(p); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s is not writable", home)) {
			t.Errorf("APP-35 a state directory in a read-only home: %v", err)
		}
	}
	p, err := paths.New(filepath.Join(os.TempDir(), "elsewhere"))
	if err == nil {
		err = writable(p)
	}
	if err != nil {
		t.Errorf("APP-35 a state directory elsewhere: %v", err)
	}
}
