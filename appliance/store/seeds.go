package store

import "time"

// Seed is a further seed that the landscape brings up itself. Its name, provider, image and ranges never change.
type Seed struct {
	Name        string    `json:"name"`
	PodCIDR     string    `json:"podCIDR"`
	ServiceCIDR string    `json:"serviceCIDR"`
	Created     time.Time `json:"created"`
	// NodeImage is the image of the nodes of a kind cluster. Embedded seeds have none.
	NodeImage string `json:"nodeImage,omitempty"`
	// Garden is the UID of the garden in which the seed was last registered. A garden that lost its etcd gets another UID.
	Garden string `json:"garden,omitempty"`
	// Cluster is the identity of the state directory of the seed, once its cluster was ready.
	Cluster string `json:"cluster,omitempty"`
	// Removing is set when the Seed has to be deleted from the garden, Removed when it was deleted.
	Removing bool `json:"removing,omitempty"`
	Removed  bool `json:"removed,omitempty"`
}

// Kind reports whether the seed is a kind cluster.
func (s Seed) Kind() bool { return s.NodeImage != "" }

// Seeds returns the further seeds, sorted by name.
func (s *Store) Seeds() ([]Seed, error) { return list[Seed](s, "seed/") }

// Seed returns one further seed. ok is false if no seed has that name.
func (s *Store) Seed(name string) (seed Seed, ok bool, err error) { return get[Seed](s, "seed/"+name) }

// SetSeed stores a seed. Call it before anything of the seed is made.
func (s *Store) SetSeed(seed Seed) error { return put(s, "seed/"+seed.Name, seed) }

// RemoveSeed removes a seed from the store. Call it after everything of the seed was removed.
func (s *Store) RemoveSeed(name string) error { return remove(s, "seed/"+name) }
