package runtime

import (
	"fmt"
	"slices"
)

// realNodes is the advice for users who want to run an image.
const realNodes = `a landscape whose nodes are containers executes images: "gardener up --provider=kind"`

// simulatedError is the error for operations that need a process in a container without one. Users of kubectl see
// its text unchanged.
func simulatedError(c *container) error {
	if c.record.Missing {
		return fmt.Errorf("container %s is simulated: %s", c.record.Name, c.record.SimulatedBecause)
	}
	return fmt.Errorf("container %s is simulated: an embedded node executes only Gardener's own pods, nothing of image %s runs%s (%s)",
		c.record.Name, c.record.Image, because(c), realNodes)
}

// because is the reason why the container is simulated, if that is not obvious.
func because(c *container) string {
	if c.record.SimulatedBecause == "" {
		return ""
	}
	return " (" + c.record.SimulatedBecause + ")"
}

// reachable returns nil if processes of the pod may listen on the ports. Requests may name their ports later. Other ports of the pod's address are the
// machine's: whatever listens on all addresses listens there, too.
func (p *pods) reachable(id string, ports ...int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sandboxes[id]
	if !ok {
		return fmt.Errorf("pod sandbox %s does not exist", id)
	}
	var process, inSandbox bool
	var simulated *container
	for _, c := range p.containers {
		if c.record.SandboxID != id {
			continue
		}
		if c.record.Simulated {
			simulated = c
		} else if c.record.State == stateRunning {
			process, inSandbox = true, inSandbox || c.record.Sandboxed
		}
	}
	switch {
	case inSandbox: // the pod has a network of its own
		return nil
	case !process && simulated != nil:
		return simulatedError(simulated)
	case !process:
		return fmt.Errorf("no container of pod %s runs", s.record.Name)
	case s.record.HostNetwork:
		return fmt.Errorf("pod %s is in the network of the machine, whose ports cannot be forwarded", s.record.Name)
	}
	for _, port := range ports {
		if !slices.Contains(s.record.Ports, port) {
			return fmt.Errorf("pod %s does not declare port %d", s.record.Name, port)
		}
	}
	return nil
}
