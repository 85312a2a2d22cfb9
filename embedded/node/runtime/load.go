package runtime

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
)

// exitKilled is the exit code of a process that SIGKILL ended, as in shells and container runtimes.
const exitKilled = 137

// load reads the runtime's state from RootDir. Unreadable records were never complete and are removed.
func (r *Runtime) load() error {
	entries, err := os.ReadDir(r.sandboxesDir())
	if err != nil {
		return fmt.Errorf("read runtime directory: %w", err)
	}
	for _, entry := range entries {
		dir := filepath.Join(r.sandboxesDir(), entry.Name())
		s := &sandbox{dir: dir}
		if err := readRecord(filepath.Join(dir, sandboxFile), &s.record); err != nil {
			r.log.Info("Removing unreadable sandbox", "sandbox", entry.Name(), "reason", err.Error())
			if err := os.RemoveAll(dir); err != nil {
				return fmt.Errorf("remove unreadable sandbox: %w", err)
			}
			continue
		}
		if s.record.Address.IsValid() && !r.addresses.reserve(s.record.Address) {
			s.record.Ready = false // the kubelet makes a new one
		}
		r.sandboxes[s.record.ID] = s
		if err := r.loadContainers(s); err != nil {
			return err
		}
		if err := r.endSandboxed(s); err != nil {
			return err
		}
	}
	return nil
}

// endSandboxed marks a pod with containers in gVisor as ended, as after a restart of a machine: the kubelet then makes a new one, and its
// init containers run again.
func (r *Runtime) endSandboxed(s *sandbox) error {
	for _, c := range r.containersOf(s.record.ID) {
		if c.record.Sandboxed && s.record.Ready {
			r.addresses.release(s.record.Address)
			s.record.Ready, s.record.Address = false, netip.Addr{}
			return s.save()
		}
	}
	return nil
}

func (r *Runtime) loadContainers(s *sandbox) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("read containers of sandbox %s: %w", s.record.ID, err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		c := &container{sandbox: s, dir: s.containerDir(entry.Name())}
		if err := readRecord(filepath.Join(c.dir, containerFile), &c.record); err != nil {
			r.log.Info("Removing unreadable container", "container", entry.Name(), "reason", err.Error())
			if err := os.RemoveAll(c.dir); err != nil {
				return fmt.Errorf("remove unreadable container: %w", err)
			}
			continue
		}
		if err := r.settle(c); err != nil {
			return err
		}
		r.containers[c.record.ID] = c
		if c.record.Simulated && c.record.State == stateRunning {
			r.endLater(c)
		}
	}
	return nil
}

// settle marks a container that was alive when the previous process died as exited.
func (r *Runtime) settle(c *container) error {
	if c.record.State == stateExited || c.record.Simulated && c.record.State == stateRunning {
		return nil
	}
	if c.record.Process.PID != 0 {
		killed, err := killLeftover(c.record.Process)
		if err != nil {
			return fmt.Errorf("end leftover process of container %s: %w", c.record.ID, err)
		}
		if killed {
			r.log.Info("Ended leftover process", "container", c.record.Name, "pod", c.sandbox.record.Name, "pid", c.record.Process.PID)
		}
	}
	c.exited(exitKilled, "NodeRestart")
	c.record.Message = "the node was restarted"
	return c.save()
}
