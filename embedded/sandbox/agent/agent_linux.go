package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/inside"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// descriptor is the file descriptor of the connection to the node: the first one after the standard streams.
const descriptor = 3

// networkDescriptor is that of the connection to the daemon's side of the pod's network.
const networkDescriptor = descriptor + 1

// mountsDescriptor is that of the connection to the agent outside, which makes mounts.
const mountsDescriptor = networkDescriptor + 1

// Run is the agent of a pod outside of the pod's file system and processes: it makes them, starts Inside there, and mounts what Inside asks for.
// Nothing that belongs to the pod can see this process, whose root is the machine's. It ends with Inside, and everything in the pod ends with
// it. The caller must be the first process of its namespace of process IDs, with its main thread. dir is the directory of the pod's state,
// absolute and without symbolic links. doors is how many files follow the connections by which this process enters the control group of the pod. score is
// the least oom_score_adj of all processes of the pod.
func Run(dir, doors, score string) error {
	if err := enterGroup(doors); err != nil {
		return fmt.Errorf("enter the control group of the pod: %w", err)
	}
	if err := raiseScore(score); err != nil {
		return fmt.Errorf("let the kernel end the pod first: %w", err)
	}
	if err := prepare(); err != nil {
		return err
	}
	root := rootOf(dir)
	mounts, err := furnish(root, dir)
	if err != nil {
		return fmt.Errorf("make the root of the pod: %w", err)
	}
	conn, other, err := wire.Pair()
	if err != nil {
		return err
	}
	passed := []*os.File{os.NewFile(descriptor, "node"), os.NewFile(networkDescriptor, "network"), other}
	inside, err := os.StartProcess("/proc/self/exe", []string{"runsc", "inside", dir}, &os.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: append([]*os.File{os.Stdin, os.Stdout, os.Stderr}, passed...),
		Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL},
	})
	wire.Close(passed) // the node sees the end of the pod by the end of these
	if err != nil {
		return fmt.Errorf("start the agent inside: %w", err)
	}
	serving := serveMounts(conn, mounts) // until it ends
	state, err := inside.Wait()
	if err == nil && !state.Success() {
		err = fmt.Errorf("the agent inside ended: %s", state)
	}
	return errors.Join(serving, err)
}

func rootOf(dir string) string { return filepath.Join(dir, "root") }

// Inside serves as the agent of a pod until the node closes the connection. It leaves the machine's file system, so that gVisor, which looks for
// mount points by their paths, can be led to nothing of the machine by links in volumes.
func Inside(dir string) error {
	root := rootOf(dir)
	if err := mount("proc", filepath.Join(root, "proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := enter(root); err != nil {
		return fmt.Errorf("enter the root of the pod: %w", err)
	}
	network, err := wire.NewConn(os.NewFile(networkDescriptor, "network"))
	if err != nil {
		return err
	}
	mounts, err := wire.NewConn(os.NewFile(mountsDescriptor, "mounts"))
	if err != nil {
		return err
	}
	go func() {
		if err := inside.Serve(context.Background(), network.UnixConn); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return serve(&binder{conn: mounts})
}

// Spawn serves as the spawner of a node until the node closes the connection.
func Spawn() error { return serve(nil) }

func serve(mounts *binder) error {
	conn, err := wire.NewConn(os.NewFile(descriptor, "node"))
	if err != nil {
		return err
	}
	s := &server{conn: conn, mounts: mounts, commands: map[int]uint64{}}
	go s.reap()
	return s.serve()
}

// prepare mounts the file system of processes, which is that of the machine until then. The mount is not visible outside of
// the namespace. What the machine unmounts is unmounted here, too.
func prepare() error {
	if os.Getpid() != 1 {
		return fmt.Errorf("the agent is process %d, not the first of a namespace", os.Getpid())
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("separate mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// server runs commands. As the first process of a namespace it also inherits every process whose parent has ended.
type server struct {
	conn   wire.Conn
	mounts *binder // nil for a spawner

	mu       sync.Mutex     // held while a command starts, so that its end is not noticed before its start
	commands map[int]uint64 // IDs by process
}

func (s *server) serve() error {
	for {
		var request wire.Request
		files, err := s.conn.Receive(&request)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("receive request: %w", err)
		}
		switch {
		case request.Run != nil:
			err := s.start(request.ID, request.Run, files)
			wire.Close(files)
			if err != nil {
				s.reply(wire.Reply{ID: request.ID, Error: err.Error()})
			}
		case request.Signal != nil:
			s.signal(request.ID, syscall.Signal(request.Signal.Number))
		case request.Unbind != "" && s.mounts != nil:
			s.mounts.unbind(request.Unbind)
		}
	}
}

func (s *server) start(id uint64, run *wire.Run, files []*os.File) error {
	if len(files) < 3 {
		return fmt.Errorf("%d files are less than the three standard streams", len(files))
	}
	attributes := &syscall.SysProcAttr{Setsid: true, Setctty: run.Terminal} // the terminal is at descriptor 0
	if run.Namespaces {
		if err := separate(attributes); err != nil {
			return err
		}
	}
	for _, b := range run.Binds {
		if err := s.mounts.bind(b); err != nil {
			return fmt.Errorf("mount %s: %w", b.Name, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	process, err := os.StartProcess("/proc/self/exe", append([]string{"runsc"}, run.Args...), &os.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: files, Sys: attributes,
	})
	if err != nil {
		return err
	}
	s.commands[process.Pid] = id
	if run.Namespaces {
		s.reply(wire.Reply{ID: id, Started: process.Pid})
	}
	return process.Release() // reap waits for it
}

// separate gives the process namespaces. If other users exist here, all users and groups keep their numbers there, so that users in containers
// can own files in volumes. For another user, who may not do that, only his own user and group have a number there: 0.
func separate(attributes *syscall.SysProcAttr) error {
	attributes.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if !ids.All() {
		attributes.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
		return nil
	}
	users, groups, err := ids.Own()
	if err != nil {
		return err
	}
	attributes.UidMappings, attributes.GidMappings, attributes.GidMappingsEnableSetgroups = same(users), same(groups), ids.MayChangeGroups()
	return nil
}

// same maps each user or group to itself. The kernel takes the ranges of the namespace around only.
func same(ranges []ids.Range) []syscall.SysProcIDMap {
	var all []syscall.SysProcIDMap
	for _, r := range ranges {
		all = append(all, syscall.SysProcIDMap{ContainerID: int(r.Inside), HostID: int(r.Inside), Size: int(r.Size)})
	}
	return all
}

// signal reaches the session of the command: a command may have started processes of its own.
func (s *server) signal(id uint64, number syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid, command := range s.commands {
		if command == id {
			_ = syscall.Kill(-pid, number)
		}
	}
}

// reap waits for processes that have ended, for as long as the agent lives.
func (s *server) reap() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	for range ended {
		for s.reapOne() {
		}
	}
}

func (s *server) reapOne() bool {
	s.mu.Lock()
	var state syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &state, syscall.WNOHANG, nil)
	id, known := s.commands[pid]
	delete(s.commands, pid)
	s.mu.Unlock()
	if errors.Is(err, syscall.EINTR) {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	if known {
		s.reply(wire.Reply{ID: id, Code: code(state)})
	}
	return true
}

// reply ignores errors: without a node, serve ends.
func (s *server) reply(reply wire.Reply) { _ = s.conn.Send(reply) }

func code(state syscall.WaitStatus) int {
	if state.Signaled() {
		return 128 + int(state.Signal())
	}
	return state.ExitStatus()
}
