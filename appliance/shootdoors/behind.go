package shootdoors

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/types"
)

// servicePort is the port that gateways expect in the header of a connection, as in GEP-08, whatever the port of the API server is.
const servicePort = 443

// Behind are the doors of shoots on a seed whose API servers this process does not reach by their addresses. They lead to the gateway of
// the seed, which relays connections with a PROXY header.
type Behind struct {
	doors *Doors
	seed  string
}

// Behind returns the doors of the shoots on a seed; nil if there are no doors.
func (d *Doors) Behind(seed string) *Behind {
	if d == nil {
		return nil
	}
	return &Behind{doors: d, seed: seed}
}

// Address is the address of a shoot, the same as on every other seed.
func (b *Behind) Address(shoot types.UID) (netip.AddrPort, error) { return b.doors.Address(shoot) }

// Open makes the address of a shoot lead to its API server, which the gateway knows by the address of its Service.
func (b *Behind) Open(shoot types.UID, server netip.AddrPort) error {
	return b.doors.open(shoot, netip.AddrPortFrom(server.Addr(), servicePort), b.seed)
}

// Close closes the door of a shoot that does not come back.
func (b *Behind) Close(shoot types.UID) error { return b.doors.Close(shoot) }

// Locate says where the gateway is from now on. Doors that waited for it open.
func (b *Behind) Locate(gateway netip.AddrPort) error {
	d := b.doors
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gateways[b.seed] == gateway {
		return nil
	}
	d.gateways[b.seed] = gateway
	known, err := d.store.Doors().All()
	if err != nil {
		return fmt.Errorf("read the doors of shoots: %w", err)
	}
	for _, door := range known {
		if door.Gateway == b.seed {
			d.lead(door)
		}
	}
	return nil
}
