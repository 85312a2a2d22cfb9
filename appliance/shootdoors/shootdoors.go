// Package shootdoors gives each shoot an address of its own on this machine. Users reach the API server there without names and
// without a server name in TLS. The address is the same on every seed and after every restart.
package shootdoors

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/netip"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/embedded/doors"
)

// PartName is the name of the part that keeps the doors open.
const PartName = "shoot-doors"

// Doors are the doors of a landscape.
type Doors struct {
	store    *store.Store
	port     uint16
	server   *doors.Server
	gateways map[string]netip.AddrPort // by the names of seeds

	// mu keeps what the store says and where doors lead the same, and two shoots from choosing one address.
	mu sync.Mutex
}

// New returns doors at a port, usually that of the front door.
func New(s *store.Store, port uint16, log logr.Logger) *Doors {
	return &Doors{store: s, port: port, server: doors.New(PartName, log.WithName(PartName)), gateways: map[string]netip.AddrPort{}}
}

// Direct are doors of shoots whose API servers this process reaches by their addresses; nil if there are no doors.
func (d *Doors) Direct() exposure.Doors {
	if d == nil {
		return nil
	}
	return d
}

// Part opens the doors that the store knows, and those that follow. It needs nothing: a door whose server does not run yet
// refuses connections.
func (d *Doors) Part() (component.Part, error) {
	known, err := d.store.Doors().All()
	if err != nil {
		return component.Part{}, fmt.Errorf("read the doors of shoots: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, door := range known {
		d.lead(door)
	}
	return component.Part{Component: d.server}, nil
}

// Address is the address of a shoot. It is chosen at the first call and stored.
func (d *Doors) Address(shoot types.UID) (netip.AddrPort, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	door, err := d.of(shoot)
	return d.at(door), err
}

// All are the addresses of all shoots.
func (d *Doors) All() ([]netip.AddrPort, error) {
	known, err := d.store.Doors().All()
	if err != nil {
		return nil, fmt.Errorf("read the doors of shoots: %w", err)
	}
	var all []netip.AddrPort
	for _, door := range known {
		all = append(all, d.at(door))
	}
	return all, nil
}

// Open makes the address of a shoot lead to its API server.
func (d *Doors) Open(shoot types.UID, server netip.AddrPort) error { return d.open(shoot, server, "") }

func (d *Doors) open(shoot types.UID, server netip.AddrPort, gateway string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	door, err := d.of(shoot)
	if err != nil {
		return err
	}
	if door.Server != server || door.Gateway != gateway {
		door.Server, door.Gateway = server, gateway
		if err := d.store.Doors().Set(door); err != nil {
			return fmt.Errorf("note the door of a shoot: %w", err)
		}
	}
	d.lead(door)
	return nil
}

// lead makes a door lead where it should, or closes it while that is not known. The caller holds mu.
func (d *Doors) lead(door store.Door) {
	target := doors.Target{Server: door.Server}
	if door.Gateway != "" {
		target = doors.Target{Server: d.gateways[door.Gateway], Meant: door.Server}
	}
	if target.Server.IsValid() {
		d.server.Open(d.at(door), target)
	} else {
		d.server.Close(d.at(door))
	}
}

// Close closes the door of a shoot that does not come back. Its address is free.
func (d *Doors) Close(shoot types.UID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	door, ok, err := d.store.Doors().Of(string(shoot))
	if err != nil || !ok {
		return err
	}
	d.server.Close(d.at(door))
	return d.store.Doors().Remove(string(shoot))
}

func (d *Doors) at(door store.Door) netip.AddrPort { return netip.AddrPortFrom(door.Address, d.port) }

// of is the door of a shoot, with an address that is chosen if it has none. The caller holds mu.
func (d *Doors) of(shoot types.UID) (store.Door, error) {
	door, ok, err := d.store.Doors().Of(string(shoot))
	if err != nil || ok {
		return door, err
	}
	all, err := d.store.Doors().All()
	if err != nil {
		return door, err
	}
	taken := map[netip.Addr]bool{}
	for _, other := range all {
		taken[other.Address] = true
	}
	address, err := choose(shoot, taken)
	if err != nil {
		return door, err
	}
	door = store.Door{Shoot: string(shoot), Address: address}
	return door, d.store.Doors().Set(door)
}

// choose takes an address in 127.128.0.0/9 that nobody has: ranges of pods and Services are in the lower half of 127.0.0.0/8, and
// landscapes share the upper one, because each has a port of its own. It starts at the hash of the UID, so that a new shoot rarely
// gets the address of a former one that clients may still know.
func choose(shoot types.UID, taken map[netip.Addr]bool) (netip.Addr, error) {
	const size = 1 << 23 // addresses in a /9
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(shoot)) // never fails
	for i := range uint32(len(taken) + 3) {
		number := (hash.Sum32() + i) % size
		if number == 0 || number == size-1 { // the address of the network and that of its broadcast
			continue
		}
		address := netip.AddrFrom4([4]byte{127, 128 | byte(number>>16), byte(number >> 8), byte(number)})
		if !taken[address] {
			return address, nil
		}
	}
	return netip.Addr{}, errors.New("no loopback address is free for the door of a shoot")
}
