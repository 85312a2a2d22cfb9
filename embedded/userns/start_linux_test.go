package userns

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// stageVariable makes the test binary the program that Start starts.
const stageVariable = "GARDENER_TEST_STAGE"

func TestMain(m *testing.M) {
	if err := Await(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(stageVariable) == "" {
		os.Exit(m.Run())
	}
	_ = json.NewEncoder(os.Stdout).Encode(look(os.Args[1]))
}

// seen is what a program in the namespace knows.
type seen struct {
	User, Group   int
	Users, Groups []ids.Range
	All           bool
	Gives         string // the error of giving a file to another user
	DeathSignal   int32
	Ambient       bool
	Variables     []string // about the namespace
}

func look(file string) seen {
	s := seen{User: os.Getuid(), Group: os.Getgid(), All: ids.All()}
	s.Users, s.Groups, _ = ids.Own()
	if err := os.Chown(file, 1000, 65534); err != nil {
		s.Gives = err.Error()
	}
	_ = unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&s.DeathSignal)), 0, 0, 0)
	status, _ := os.ReadFile("/proc/self/status")
	s.Ambient = !strings.Contains(string(status), "CapAmb:\t0000000000000000") || !strings.Contains(string(status), "CapInh:\t0000000000000000")
	for _, variable := range os.Environ() {
		if strings.Contains(variable, "AWAIT") {
			s.Variables = append(s.Variables, variable)
		}
	}
	return s
}

// mapper writes a file of a process, as newuidmap and newgidmap do for those who may not do it themselves.
func mapper(t *testing.T, file string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new"+file)
	script := "#!/bin/sh\npid=$1; shift; all=\nwhile [ $# -gt 0 ]; do all=\"$all$1 $2 $3\n\"; shift 3; done\nexec printf %s \"$all\" > /proc/$pid/" + file + "\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func mapping(t *testing.T) Mapping {
	if os.Geteuid() != 0 {
		testskip.OutsideCI(t, "root, who may map any user")
	}
	return Mapping{
		Users:     []ids.Range{{Inside: 0, Outside: 0, Size: 1}, {Inside: 1, Outside: 200000, Size: 65536}},
		Groups:    []ids.Range{{Inside: 0, Outside: 0, Size: 1}, {Inside: 1, Outside: 300000, Size: 65536}},
		newuidmap: mapper(t, "uid_map"), newgidmap: mapper(t, "gid_map"),
	}
}

func TestStart(t *testing.T) {
	m := mapping(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the end of the thread would be the end of the parent
	defer runtime.UnlockOSThread()
	cmd := exec.Command("/proc/self/exe", file)
	cmd.Env = []string{stageVariable + "=inside"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Unshareflags: syscall.CLONE_NEWNS}
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = m.Start(cmd)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got seen
	if err := errors.Join(json.NewDecoder(output).Decode(&got), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(seen{Users: m.Users, Groups: m.Groups, All: true, DeathSignal: int32(syscall.SIGTERM)}, got); diff != "" {
		t.Errorf("APP-11 the program in the namespace (-want +got):\n%s", diff)
	}
	var stat unix.Stat_t
	if err := unix.Stat(file, &stat); err != nil {
		t.Fatal(err)
	}
	if stat.Uid != 200999 || stat.Gid != 365533 {
		t.Errorf("APP-11 the machine sees a file of user %d and group %d", stat.Uid, stat.Gid)
	}
}

func TestTry(t *testing.T) {
	t.Run("APP-11 a system that allows several users", func(t *testing.T) {
		if err := mapping(t).Try(); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-11 a system that does not says why", func(t *testing.T) {
		m := mapping(t)
		m.newgidmap = filepath.Join(t.TempDir(), "refusing")
		if err := os.WriteFile(m.newgidmap, []byte("#!/bin/sh\necho gid range is not allowed >&2\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := m.Try(); err == nil || !strings.Contains(err.Error(), "gid range is not allowed") {
			t.Errorf("error %v", err)
		}
	})
}
