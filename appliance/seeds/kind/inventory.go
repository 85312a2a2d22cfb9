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

// Hold implements host.Inventory.
func (i inventory) Hold(kind, name, seed string) error {
	return i.store.Inventory().Hold(kind, name, seed)
}

// Holder implements host.Inventory.
func (i inventory) Holder(kind, name string) (seed string, known bool, err error) {
	return i.store.Inventory().Holder(kind, name)
}
