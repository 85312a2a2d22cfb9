package store

import "time"

// Seed is a further seed that the landscape brings up itself. What it was made with does not change.
type Seed struct {
	Name        string    `json:"name"`
	PodCIDR     string    `json:"podCIDR"`
	ServiceCIDR string    `json:"serviceCIDR"`
	Created     time.Time `json:"created"`
	// Garden is the UID of the garden that the seed was last registered in: it changes when the garden's etcd was lost.
	Garden string `json:"garden,omitempty"`
	// Removing is set once the Seed is to vanish from the garden, Removed once it has.
	Removing bool `json:"removing,omitempty"`
	Removed  bool `json:"removed,omitempty"`
}

// Seeds returns the further seeds, sorted by name.
func (s *Store) Seeds() ([]Seed, error) { return list[Seed](s, "seed/") }

// Seed returns one of them; ok is false when there is none of the name.
func (s *Store) Seed(name string) (seed Seed, ok bool, err error) { return get[Seed](s, "seed/"+name) }

// SetSeed notes a seed; call it before anything of it is made.
func (s *Store) SetSeed(seed Seed) error { return put(s, "seed/"+seed.Name, seed) }

// RemoveSeed forgets a seed; call it after everything of it is gone.
func (s *Store) RemoveSeed(name string) error { return remove(s, "seed/"+name) }
