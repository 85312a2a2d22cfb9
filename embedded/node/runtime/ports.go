package runtime

import "net/netip"

// Ports returns the ports that the containers of the pod with the address declare, if any of them is a process. The landscape itself made such a
// pod.
func (p *pods) Ports(address netip.Addr) (ports []int32, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.containers {
		own := c.sandbox.record
		if own.Ready && own.Address == address && !c.record.Simulated && !c.record.Sandboxed {
			return own.Ports, true
		}
	}
	return nil, false
}
