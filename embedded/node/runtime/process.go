package runtime

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// identity identifies one process for good: a process ID is reused one day, but not with the same start time and
// boot.
type identity struct {
	PID   int    `json:"pid,omitempty"`
	Start uint64 `json:"start,omitempty"` // clock ticks since boot, field 22 of /proc/<pid>/stat
	Boot  string `json:"boot,omitempty"`  // /proc/sys/kernel/random/boot_id
}

// execution is the process or task of a container.
type execution interface {
	// identify names the process; a task has none.
	identify() identity
	// stop returns once it has ended or, with an error, when ctx has. If it does not end within grace, it is killed.
	stop(ctx context.Context, grace time.Duration) error
	// kill kills it and does not wait.
	kill()
	done() <-chan struct{}
	// outcome is valid after done.
	outcome() outcome
}

// outcome is how an execution has ended.
type outcome struct {
	code    int
	reason  string // if it is not that of the code
	message string
}

// because is the reason that users see.
func (o outcome) because() string {
	switch {
	case o.reason != "":
		return o.reason
	case o.code != 0:
		return "Error"
	}
	return "Completed"
}

var _ execution = (*process)(nil)

// process is a child in a process group of its own.
type process struct {
	identity
	ended chan struct{} // closed when it is reaped and all output is read
	code  int           // exit code, 128+signal if a signal ended it; valid after ended
}

// outputDelay bounds waiting for output after the process group is dead, in case another process holds the pipe.
const outputDelay = 2 * time.Second

// startProcess starts cmd as the leader of a new process group that dies with this process.
func startProcess(cmd *exec.Cmd) (*process, error) {
	inNewGroup(cmd)
	cmd.WaitDelay = outputDelay
	if err := startBound(cmd); err != nil {
		return nil, err
	}
	p := &process{identity: identify(cmd.Process.Pid), ended: make(chan struct{})}
	go func() {
		awaitExit(p.PID)
		p.killGroup() // before the leader is reaped: its ID cannot be another's yet
		_ = cmd.Wait()
		p.code = exitCode(cmd.ProcessState)
		close(p.ended)
	}()
	return p, nil
}

// startBound starts cmd from a thread that lives as long as this process. If a child has a parent-death signal, the
// kernel ends it when the thread that started it ends, not when the process does.
func startBound(cmd *exec.Cmd) error {
	starter.once.Do(func() {
		starter.requests = make(chan startRequest)
		go serveStarts(starter.requests)
	})
	result := make(chan error, 1)
	starter.requests <- startRequest{cmd: cmd, result: result}
	return <-result
}

type startRequest struct {
	cmd    *exec.Cmd
	result chan<- error
}

// starter is global because threads belong to the process: every Runtime shares the thread.
var starter struct {
	once     sync.Once
	requests chan startRequest
}

func (p *process) identify() identity    { return p.identity }
func (p *process) kill()                 { p.killGroup() }
func (p *process) done() <-chan struct{} { return p.ended }
func (p *process) outcome() outcome      { return outcome{code: p.code} }

func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// killLeftover kills the group of a process that an earlier run started and waits until it is gone. It returns false
// if the process no longer exists or its ID now belongs to another process.
func killLeftover(id identity) (bool, error) {
	if id.PID <= 1 || identify(id.PID) != id {
		return false, nil
	}
	leftover := process{identity: id}
	leftover.killGroup()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !runs(id) {
			return true, nil
		}
	}
	return true, fmt.Errorf("process %d does not end", id.PID)
}

// identify reads the identity of the process with this ID. The start is zero if there is none.
func identify(pid int) identity { return identityIn(pid, statFields(pid)) }

// runs returns false if the process has ended, even if nobody has waited for it yet. It reads the state once, since the
// process may be waited for between two reads.
func runs(id identity) bool {
	fields := statFields(id.PID)
	return len(fields) > 0 && fields[0] != "Z" && identityIn(id.PID, fields) == id
}

func identityIn(pid int, stat []string) identity {
	id := identity{PID: pid, Boot: bootID()}
	if len(stat) > 19 {
		id.Start, _ = strconv.ParseUint(stat[19], 10, 64)
	}
	return id
}

// statFields returns /proc/<pid>/stat from the third field, the state, on.
func statFields(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	line := string(data) // the second field is the command in parentheses and may hold anything
	return strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
}

var bootID = sync.OnceValue(func() string {
	data, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data))
})
