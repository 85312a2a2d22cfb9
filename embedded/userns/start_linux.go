package userns

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
	"github.com/gardener-up/gardener-up/embedded/self"
)

// variable has the file descriptor at which a child waits for its users.
const variable = "GARDENER_AWAIT_USERS"

// capabilitiesFile has the number of the last capability of the kernel.
const capabilitiesFile = "/proc/sys/kernel/cap_last_cap"

// Start starts a command in a new user namespace with these users, where it is root's. The command must be this program, whose main function calls Await.
// Other attributes of the command hold.
func (m Mapping) Start(cmd *exec.Cmd) error {
	release, err := m.start(cmd)
	if err != nil {
		return err
	}
	_, err = release.Write([]byte{1})
	return errors.Join(err, release.Close())
}

// Try makes a namespace with these users and ends it. The error says why the system does not allow it.
func (m Mapping) Try() error {
	executable, err := self.Path()
	if err != nil {
		return err
	}
	cmd := exec.Command(executable)
	release, err := m.start(cmd)
	if err != nil {
		return err
	}
	err = errors.Join(cmd.Process.Kill(), release.Close())
	_ = cmd.Wait()
	return err
}

// start returns a file to which a byte is written when the command may begin. The command ends if the file is closed before.
func (m Mapping) start(cmd *exec.Cmd) (*os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Unshareflags |= syscall.CLONE_NEWUSER
	cmd.Env = append(cmd.Environ(), variable+"="+strconv.Itoa(3+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, reader)
	// The program is nobody's until it has users, and would start without any capability.
	if cmd.SysProcAttr.AmbientCaps, err = capabilities(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	if err := m.give(cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, errors.Join(err, writer.Close())
	}
	return writer, nil
}

// give gives users and groups to the namespace of a process.
func (m Mapping) give(pid int) error {
	return errors.Join(run(m.newuidmap, pid, m.Users), run(m.newgidmap, pid, m.Groups))
}

// run starts a set-user-ID program. Its arguments are numbers.
func run(program string, pid int, ranges []ids.Range) error {
	args := []string{strconv.Itoa(pid)}
	for _, r := range ranges {
		for _, number := range []uint32{r.Inside, r.Outside, r.Size} {
			args = append(args, strconv.FormatUint(uint64(number), 10))
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = []string{}
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(said)))
	}
	return nil
}

// capabilities are all that the kernel knows.
func capabilities() ([]uintptr, error) {
	content, err := os.ReadFile(capabilitiesFile)
	if err != nil {
		return nil, err
	}
	last, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", capabilitiesFile, err)
	}
	all := make([]uintptr, last+1)
	for i := range all {
		all[i] = uintptr(i)
	}
	return all, nil
}
