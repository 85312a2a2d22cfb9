package kind

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/store"
)

// inventory records containers in the store, so that purge finds and removes them.
type inventory struct{ store *store.Store }

// Add implements host.Inventory.
func (i inventory) Add(kind, name string) error {
	return i.store.Inventory().Add(store.Item{Kind: kind, ID: name, Created: time.Now().UTC()})
}

// Remove implements host.Inventory.
func (i inventory) Remove(kind, name string) error { return i.store.Inventory().Remove(kind, name) }
