package runtime

import (
	"errors"
	"os"
	"os/exec"
	goruntime "runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

func inNewGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if !cmd.SysProcAttr.Setsid { // a session is a group already
		cmd.SysProcAttr.Setpgid = true
	}
}

// serveStarts never returns: with it would end its thread, and with that every process it started.
func serveStarts(requests <-chan startRequest) {
	goruntime.LockOSThread()
	for request := range requests {
		request.result <- request.cmd.Start()
	}
}

// awaitExit returns when the child has ended and leaves it to be reaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func (p *process) terminate() { _ = unix.Kill(-p.PID, unix.SIGTERM) }
func (p *process) killGroup() { _ = unix.Kill(-p.PID, unix.SIGKILL) }

func exitCode(state *os.ProcessState) int {
	if state == nil {
		return exitKilled
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
