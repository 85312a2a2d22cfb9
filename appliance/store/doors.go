package store

import "net/netip"

// Door is the address of this machine at which users reach the API server of a shoot without names. The address stays the same
// as long as the shoot exists.
type Door struct {
	Shoot   string         `json:"shoot"` // UID
	Address netip.Addr     `json:"address"`
	Server  netip.AddrPort `json:"server"` // where the door leads; invalid before the shoot has a server
	// Gateway is the seed by whose gateway the server is reached. Empty: by its own address.
	Gateway string `json:"gateway,omitempty"`
}

// Doors are the doors of all shoots, by the UIDs of the shoots.
type Doors struct{ store *Store }

// Doors returns the doors of all shoots.
func (s *Store) Doors() Doors { return Doors{s} }

// All returns all of them.
func (d Doors) All() ([]Door, error) { return list[Door](d.store, "door/") }

// Of returns the door of a shoot. ok is false if it has none.
func (d Doors) Of(shoot string) (door Door, ok bool, err error) {
	return get[Door](d.store, "door/"+shoot)
}

// Set stores a door.
func (d Doors) Set(door Door) error { return put(d.store, "door/"+door.Shoot, door) }

// Remove forgets the door of a shoot.
func (d Doors) Remove(shoot string) error { return remove(d.store, "door/"+shoot) }
