package runtime

import (
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// pods are the sandboxes and containers that exist. Its methods tell about them and change nothing.
type pods struct {
	mu         sync.Mutex // guards their records, too
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

func (p *pods) container(id string) (*container, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.containers[id]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "container %s does not exist", id)
	}
	return c, nil
}

// containersOf returns the containers of a sandbox, in no order.
func (p *pods) containersOf(sandboxID string) []*container {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*container
	for _, c := range p.containers {
		if c.record.SandboxID == sandboxID {
			found = append(found, c)
		}
	}
	return found
}

// runningContainer returns an error for containers that do not run.
func (p *pods) runningContainer(id string) (*container, error) {
	c, err := p.container(id)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.record.Simulated {
		return nil, simulatedError(c)
	}
	if c.record.State != stateRunning {
		return nil, status.Errorf(codes.FailedPrecondition, "container %s is not running", c.record.Name)
	}
	return c, nil
}

// ownProcess returns an error for containers that have no process of their own.
func (p *pods) ownProcess(id string) (*container, error) {
	c, err := p.runningContainer(id)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, isTask := c.execution.(*task); isTask {
		return nil, taskError(c)
	}
	return c, nil
}
