package store

import (
	"fmt"
	"time"
)

// Identity tells which landscape a state directory belongs to. It is written once.
type Identity struct {
	Name string `json:"name"`
	// ID is random; it is the cluster identity of the garden, too.
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// PodCIDR, ServiceCIDR and Domain are fixed at creation, since objects carry them.
	PodCIDR     string `json:"podCIDR"`
	ServiceCIDR string `json:"serviceCIDR"`
	Domain      string `json:"domain"`
	Seed        string `json:"seed"`
	// Provider of the seed; empty in landscapes that are older than the field, which are embedded.
	Provider string `json:"provider,omitempty"`
}

// Identity returns the identity, ok is false for a new store.
func (s *Store) Identity() (id Identity, ok bool, err error) { return get[Identity](s, "landscape") }

// SetIdentity writes the identity.
func (s *Store) SetIdentity(id Identity) error { return put(s, "landscape", id) }

// Engine is the container engine that keeps the containers of the landscape, and the variables of the environment by which
// its client finds it. It holds no secrets.
type Engine struct {
	Name      string            `json:"name"`
	Variables map[string]string `json:"variables,omitempty"`
}

// Engine returns the container engine; ok is false for landscapes that have none, or none yet.
func (s *Store) Engine() (engine Engine, ok bool, err error) { return get[Engine](s, "engine") }

// SetEngine writes the container engine; call it before anything is made with it.
func (s *Store) SetEngine(engine Engine) error { return put(s, "engine", engine) }

// Port returns the port that a listener got earlier, or 0.
func (s *Store) Port(name string) (int32, error) {
	port, _, err := get[int32](s, "port/"+name)
	return port, err
}

// SetPort keeps the port of a listener for the next start.
func (s *Store) SetPort(name string, port int32) error { return put(s, "port/"+name, port) }

// Kinds of items: files and directories, whose ID is the path, and what a container engine keeps, whose ID is the name.
const (
	ItemPath      = "path"
	ItemCluster   = "cluster"
	ItemContainer = "container"
	ItemNetwork   = "network"
)

// Item is something that exists outside etcd and must go with the landscape.
type Item struct {
	// Kind is one of the constants above.
	Kind string `json:"kind"`
	// ID is what its remover needs: a path or a name.
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
}

// Items returns the inventory.
func (s *Store) Items() ([]Item, error) { return list[Item](s, "item/") }

// AddItem notes an item; call it before the item is made. One that is noted already stays as it is.
func (s *Store) AddItem(item Item) error {
	key := "item/" + item.Kind + "/" + item.ID
	if _, known, err := get[Item](s, key); known || err != nil {
		return err
	}
	return put(s, key, item)
}

// RemoveItem forgets an item; call it after the item is gone.
func (s *Store) RemoveItem(kind, id string) error { return remove(s, "item/"+kind+"/"+id) }

// Entry is a line of the journal.
type Entry struct {
	Time    time.Time `json:"time"`
	Step    string    `json:"step"`
	Message string    `json:"message"`
}

const journalLimit = 500

// Journal returns the last entries, oldest first.
func (s *Store) Journal() ([]Entry, error) { return list[Entry](s, "journal/") }

// Note appends to the journal and forgets entries older than the last 500.
func (s *Store) Note(entry Entry) error {
	if err := put(s, fmt.Sprintf("journal/%020d-%s", entry.Time.UnixNano(), entry.Step), entry); err != nil {
		return err
	}
	return s.trim("journal/", journalLimit)
}
