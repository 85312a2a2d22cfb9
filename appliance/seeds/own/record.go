package own

import (
	"sync"

	"github.com/gardener-up/gardener-up/appliance/store"
)

// record is the entry of one own seed in the store.
type record struct {
	store *store.Store
	name  string
	mu    sync.Mutex // held while the Seed and the record change together
}

func (r *record) get() (seed store.Seed, known bool, err error) { return r.store.Seed(r.name) }

// change writes to the store if the record differs.
func (r *record) change(change func(*store.Seed)) error {
	seed, known, err := r.get()
	if err != nil || !known {
		return err
	}
	before := seed
	if change(&seed); seed == before {
		return nil
	}
	return r.store.SetSeed(seed)
}

// removing notes that the Seed is being deleted, once remove has succeeded.
func (r *record) removing(remove func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := remove(); err != nil {
		return err
	}
	return r.change(func(seed *store.Seed) { seed.Removing = true })
}
