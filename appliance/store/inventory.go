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
	// Holder is the seed that a container belongs to if this is not the one that made it; empty if no seed has it at the moment.
	Holder *string `json:"holder,omitempty"`
	// Made is the engine's ID of the container that holds the data of a cluster, once the cluster was complete.
	Made string `json:"made,omitempty"`
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

// Hold notes the seed that an item belongs to; empty for none. An item that is not in the inventory is added.
func (i Inventory) Hold(kind, id, seed string) error {
	key := "item/" + kind + "/" + id
	item, known, err := get[Item](i.store, key)
	if err != nil {
		return err
	}
	if !known {
		item = Item{Kind: kind, ID: id, Created: time.Now().UTC()}
	}
	item.Holder = &seed
	return put(i.store, key, item)
}

// Holder returns the seed that was noted by Hold; known is false if none was.
func (i Inventory) Holder(kind, id string) (seed string, known bool, err error) {
	item, _, err := get[Item](i.store, "item/"+kind+"/"+id)
	if err != nil || item.Holder == nil {
		return "", false, err
	}
	return *item.Holder, true, nil
}

// Made returns what NoteMade noted about a cluster; empty if that was nothing.
func (i Inventory) Made(cluster string) (container string, _ error) {
	item, _, err := get[Item](i.store, "item/"+ItemCluster+"/"+cluster)
	return item.Made, err
}

// NoteMade notes the container that holds the data of a cluster in the inventory. Call it when the cluster is complete. It does nothing for a
// cluster that is not in the inventory.
func (i Inventory) NoteMade(cluster, container string) error {
	key := "item/" + ItemCluster + "/" + cluster
	item, known, err := get[Item](i.store, key)
	if err != nil || !known || item.Made == container {
		return err
	}
	item.Made = container
	return put(i.store, key, item)
}
