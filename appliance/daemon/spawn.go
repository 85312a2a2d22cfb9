package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/embedded/userns"
)

// ErrNamespaces means that the process of a landscape of an ordinary user cannot be started.
var ErrNamespaces = errors.New("this system forbids user namespaces to ordinary users")

// NamespacesCure is what users can do about it.
const NamespacesCure = "run as root, or allow them to all users, as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 user.max_user_namespaces=15000"

// Child says how to start the process that runs the landscape.
type Child struct {
	Executable string
	Args       []string
	// Detached processes outlive their parent. Others end with the thread of the parent that has started them.
	Detached bool
	// Bare children share the namespaces of their parent and mount nothing. Container engines without a daemon need this:
	// they mount file systems for their containers and must find these mounts again later.
	Bare bool
	// Users are those of the user namespace of an ordinary user's child. Without several, its user is root there, and no other user exists.
	Users userns.Mapping
	// LogFile is the file for output. If it is empty, a child that is not detached writes to the terminal of its parent.
	LogFile string
	// Lock is handed to the child if it is set. The parent should release it then.
	Lock *Lock
}

// Spawn starts the child in a mount namespace of its own, so that the kubelet's mounts vanish with the process. Children of
// ordinary users also get a user namespace, in which they are root, and in which other users exist if Users has them. Bare children get neither.
func Spawn(c Child) (*exec.Cmd, error) {
	cmd := exec.Command(c.Executable, c.Args...)
	cmd.Args[0] = "gardener" // the path may say nothing
	cmd.SysProcAttr = c.namespaces()
	if c.Lock != nil {
		c.Lock.hand(cmd)
	}
	if c.LogFile != "" {
		log, err := os.OpenFile(c.LogFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open log: %w", err)
		}
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log
		cmd.Dir = filepath.Dir(c.LogFile)
	} else {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	if c.Detached {
		cmd.SysProcAttr.Setsid = true
	} else {
		cmd.SysProcAttr.Setpgid = true // the terminal signals the parent, which forwards signals
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
	if err := c.start(cmd); err != nil {
		return nil, c.explain(err)
	}
	if c.Lock != nil {
		_ = c.Lock.note(cmd.Process.Pid) // it notes that itself, too
	}
	return cmd, nil
}

// TryNamespaces starts a process in the namespaces that a landscape of this user needs, and ends it. The error says why the system does not allow it.
func TryNamespaces() error {
	executable, err := self.Path()
	if err != nil {
		return err
	}
	cmd := exec.Command(executable, "version")
	cmd.SysProcAttr = Child{}.namespaces()
	if err := cmd.Start(); err != nil {
		return Child{}.explain(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	return nil
}

func (c Child) start(cmd *exec.Cmd) error {
	if c.several() {
		return c.Users.Start(cmd)
	}
	return cmd.Start()
}

// several reports whether the child gets a user namespace with several users.
func (c Child) several() bool { return !c.Bare && os.Geteuid() != 0 && c.Users.Several() }

func (c Child) namespaces() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{}
	if c.Bare {
		return attributes
	}
	attributes.Unshareflags = syscall.CLONE_NEWNS
	if os.Geteuid() != 0 && !c.several() {
		attributes.Unshareflags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attributes
}

func (c Child) explain(err error) error {
	if c.Bare {
		return fmt.Errorf("start the landscape: %w", err)
	}
	if os.Geteuid() != 0 && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC)) {
		return fmt.Errorf("start the landscape: %w: %w", ErrNamespaces, err)
	}
	if c.several() {
		return fmt.Errorf("start the landscape among the subordinate IDs of this user: %w", err)
	}
	return fmt.Errorf("start the landscape in a mount namespace: %w", err)
}
