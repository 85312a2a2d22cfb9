package runtime

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	utilexec "k8s.io/utils/exec"
)

// Probe makes a probe of a pod in a sandbox. dial connects to a TCP port of the pod, in the network of the pod. said is what the
// kubelet tells about it. An error means that the probe could not be made.
type Probe func(ctx context.Context, pod netip.Addr, dial func(context.Context, uint16) (net.Conn, error), timeout time.Duration) (passed bool, said string, err error)

// probe returns the probe that a command stands for, or nil.
func (c *Config) probe(of *container, argv []string) (Probe, error) {
	if !of.record.Sandboxed || c.Probe == nil {
		return nil, nil
	}
	return c.Probe(argv)
}

// makeProbe makes a probe of the pod of a container. A pod that does not pass is a command that fails.
func (r *Runtime) makeProbe(ctx context.Context, c *container, probe Probe, timeout time.Duration) (string, error) {
	r.mu.Lock()
	id, address := c.sandbox.record.ID, c.sandbox.record.Address
	r.mu.Unlock()
	if !address.IsValid() {
		return "", fmt.Errorf("the pod of container %s has no address any more", c.record.Name)
	}
	dial := func(ctx context.Context, port uint16) (net.Conn, error) {
		return r.config.Sandboxes.Dial(ctx, id, port)
	}
	passed, said, err := probe(ctx, address, dial, timeout)
	if err == nil && !passed {
		err = utilexec.CodeExitError{Err: fmt.Errorf("probe: %s", said), Code: 1}
	}
	return said, err
}
