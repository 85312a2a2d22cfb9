package runtime

import "fmt"

// realNodes is the advice for users who want to run an image.
const realNodes = `a landscape whose nodes are containers executes images: "gardener up --provider=kind"`

// simulatedError is the error for operations that need a process in a container without one. Users of kubectl see
// its text unchanged.
func simulatedError(c *container) error {
	return fmt.Errorf("container %s is simulated: an embedded node executes only Gardener's own image, nothing of image %s runs (%s)",
		c.record.Name, c.record.Image, realNodes)
}

// simulatedSandbox returns an error if no container of the pod has a process, since then nothing listens on its
// ports.
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
