package runtime

import "fmt"

// realNodes is what those can do who want an image to be executed.
const realNodes = `a landscape whose nodes are containers executes images: "gardener up --provider=kind"`

// simulatedError refuses what needs a process in a container that has none. Users of kubectl see its text as it is.
func simulatedError(c *container) error {
	return fmt.Errorf("container %s is simulated: an embedded node executes only Gardener's own image, nothing of image %s runs (%s)",
		c.record.Name, c.record.Image, realNodes)
}

// simulatedSandbox returns an error if nobody can listen on the ports of the pod, since no container has a process.
func (r *Runtime) simulatedSandbox(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var simulated *container
	for _, c := range r.containers {
		if c.record.SandboxID != id || c.record.State != stateRunning {
			continue
		}
		if !c.record.Simulated {
			return nil
		}
		simulated = c
	}
	if simulated == nil {
		return nil
	}
	return simulatedError(simulated)
}
