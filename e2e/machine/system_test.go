package machine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// userName is the ordinary user of a system.
const userName = "tester"

// system is a machine with systemd of its own: boot.sh says what it shares with this one.
type system struct {
	root, group, binary string
	init                *exec.Cmd // ends with the system
	pid                 int       // of systemd
}

// newSystem boots a system, which ends with the test.
func newSystem(t *testing.T) *system {
	t.Helper()
	if os.Getuid() != 0 {
		testskip.OutsideCI(t, "only root can boot a system")
	}
	for _, program := range []string{"/lib/systemd/systemd", "/usr/bin/dbus-daemon", "/usr/bin/loginctl"} {
		if _, err := os.Stat(program); err != nil {
			testskip.OutsideCI(t, err)
		}
	}
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	s := &system{root: t.TempDir(), group: fmt.Sprintf("e2e-machine-%d", os.Getpid()), binary: binary}
	// The directory of the test may be an overlay, on which there cannot be another one.
	if err := syscall.Mount("none", s.root, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.end(t)
		if err := syscall.Unmount(s.root, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s.boot(t)
	return s
}

func (s *system) boot(t *testing.T) {
	t.Helper()
	script, err := filepath.Abs("boot.sh")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	s.init = exec.Command("unshare", "--mount", "--propagation", "private", script, s.root, s.group, s.binary)
	s.init.Env, s.init.Stdout, s.init.Stderr = append(os.Environ(), "NAME="+userName), &said, &said
	s.init.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.init.Start(); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "systemd has started all units", func() error {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.init.Process.Pid))
		if err != nil {
			return err
		}
		if _, err := fmt.Sscan(string(children), &s.pid); err != nil {
			return fmt.Errorf("no process: %w", err)
		}
		state, err := s.enter("systemctl", "is-system-running").Output()
		if strings.TrimSpace(string(state)) != "running" {
			return fmt.Errorf("state %q, %v", state, err)
		}
		return nil
	})
	if said.Len() > 0 {
		t.Logf("boot: %s", said.String())
	}
}

// powerOff is the signal by which systemd stops all units and ends. Unlike a command, it cannot reach the systemd of this machine.
const powerOff = syscall.Signal(34 + 4) // SIGRTMIN+4

// reboot stops all units, as a machine does that restarts, and boots again.
func (s *system) reboot(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(s.pid, powerOff); err != nil {
		t.Fatal(err)
	}
	_ = s.init.Wait() // with the signal by which the kernel ends namespaces
	s.init = nil
	s.boot(t)
}

// end ends the system at once, and removes what the kernel knows of it.
func (s *system) end(t *testing.T) {
	if s.init != nil {
		if err := s.init.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = s.init.Wait()
	}
	const script = `mount -t cgroup2 none "$0" && find "$0/$1" -depth -type d -exec rmdir {} +`
	testwait.Until(t, "no process is left in the control groups", func() error {
		output, err := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", script, filepath.Join(s.root, "groups"), s.group).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, output)
		}
		return nil
	})
}

// enter is a command of root in the system.
func (s *system) enter(command ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{fmt.Sprintf("--target=%d", s.pid), "--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--root", "--wd"}, command...)...)
}

// asRoot runs a command that has to succeed, and returns what it prints.
func (s *system) asRoot(t *testing.T, command ...string) string {
	t.Helper()
	output, err := s.enter(command...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, output)
	}
	return string(output)
}

// asUser runs a command in a session of the user, as one has after logging in. It has to succeed.
func (s *system) asUser(t *testing.T, command string) string {
	t.Helper()
	output := s.asRoot(t, "systemd-run", "--quiet", "--pipe", "--wait", "--collect", "--property=PAMName=login", "--uid="+userName, "--working-directory=/home/"+userName, "sh", "-c", command)
	t.Logf("$ %s\n%s", command, output)
	return output
}
