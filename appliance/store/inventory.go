package store

import "time"

// Kinds of items. The ID of a file or a directory is its path, the ID of an item of a container engine is its name.
const (
	ItemPath      = "path"
	ItemCluster   = "cluster"
	ItemContainer = "container"
	ItemNetwork   = "network"
)

// Item is something outside of etcd that purge has to remove.
type Item struct {
	// Kind is one of the constants above.
	Kind string `json:"kind"`
	// ID is a path or a name, depending on the kind.
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
}

// Inventory is what purge has to remove.
type Inventory struct{ store *Store }

// Inventory returns the inventory.
func (s *Store) Inventory() Inventory { return Inventory{s} }

// Items returns what is in the inventory.
func (i Inventory) Items() ([]Item, error) { return list[Item](i.store, "item/") }

// Add adds items to the inventory. Call it before they are made. Items that are in the inventory stay unchanged.
func (i Inventory) Add(items ...Item) error {
	values := map[string]any{}
	for _, item := range items {
		key := "item/" + item.Kind + "/" + item.ID
		_, known, err := get[Item](i.store, key)
		if err != nil {
			return err
		}
		if !known {
			values[key] = item
		}
	}
	return putAll(i.store, values)
}

// Remove removes an item from the inventory. Call it after the item was removed.
func (i Inventory) Remove(kind, id string) error { return remove(i.store, "item/"+kind+"/"+id) }
