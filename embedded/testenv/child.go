package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// envMutationDetector makes the caches of client-go detect modified objects.
const envMutationDetector = "KUBE_CACHE_MUTATION_DETECTOR="

// child is a process that does not outlive this one.
type child struct {
	name    string
	log     string
	process *os.Process
	done    chan struct{} // closed when it has ended
	err     error         // why; valid after done
}

// startChild runs the binary with its output going to the file log.
func startChild(binary string, args []string, log string) (*child, error) {
	output, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = output.Close() }()
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, envMutationDetector) }) // the variable is meant for the test
	cmd.SysProcAttr = dieWithParent()

	c := &child{log: log, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The parent death signal of the kernel follows the thread that started the process, so that thread must not
		// end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		c.process = cmd.Process
		started <- nil
		c.err = cmd.Wait()
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// kill ends the process and waits for it.
func (c *child) kill() {
	_ = c.process.Kill()
	<-c.done
}

// ended returns an error if the process has ended.
func (c *child) ended() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s has ended: %w", c.name, endReason(c.err))
	default:
		return nil
	}
}

func endReason(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// tails returns the last lines of the servers' logs as an error.
func (e *Env) tails() error {
	var errs []error
	for _, c := range e.children {
		content, err := os.ReadFile(c.log)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(content)), "\n")
		lines = lines[max(0, len(lines)-15):]
		errs = append(errs, fmt.Errorf("last lines of %s:\n%s", c.name, strings.Join(lines, "\n")))
	}
	return errors.Join(errs...)
}
