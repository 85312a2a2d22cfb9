package runtime

import (
	"errors"
	"net/netip"
	"sync"
)

var errNoAddress = errors.New("no free pod address in the node's range")

// addresses assigns pod addresses. It does not store them: sandbox records are the source of truth, and reserve
// restores the addresses after a restart.
type addresses struct {
	mu     sync.Mutex
	prefix netip.Prefix
	taken  map[netip.Addr]bool
	last   netip.Addr // last assigned address; the search continues after it, so that a released address is not reused at once
}

func newAddresses(prefix netip.Prefix, never ...netip.Addr) *addresses {
	a := &addresses{prefix: prefix.Masked(), taken: map[netip.Addr]bool{}}
	a.last = a.prefix.Addr()
	a.taken[a.last] = true
	for _, address := range never {
		a.taken[address] = true
	}
	return a
}

func (a *addresses) allocate() (netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.last
	for {
		next = next.Next()
		if !a.prefix.Contains(next) {
			next = a.prefix.Addr()
		}
		if !a.taken[next] {
			a.taken[next] = true
			a.last = next
			return next, nil
		}
		if next == a.last {
			return netip.Addr{}, errNoAddress
		}
	}
}

// reserve marks an address as taken; false means that it already was.
func (a *addresses) reserve(address netip.Addr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken[address] {
		return false
	}
	a.taken[address] = true
	if a.prefix.Contains(address) && a.last.Less(address) {
		a.last = address
	}
	return true
}

func (a *addresses) release(address netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.taken, address)
}
