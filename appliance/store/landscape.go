package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/buntdb"
)

// Identity says which landscape a state directory belongs to. It is written once.
type Identity struct {
	Name string `json:"name"`
	// ID is random. It is also the cluster identity of the garden.
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// PodCIDR, ServiceCIDR and Domain never change, since objects in etcd contain them.
	PodCIDR     string `json:"podCIDR"`
	ServiceCIDR string `json:"serviceCIDR"`
	Domain      string `json:"domain"`
	Seed        string `json:"seed"`
	// Provider of the seed. It is empty in landscapes from before this field existed, which are embedded.
	Provider string `json:"provider,omitempty"`
	// Nodes is how many nodes the seed has. It is 0 in landscapes from before this field existed, and if the seed is embedded.
	Nodes int32 `json:"nodes,omitempty"`
}

// Identity returns the identity. ok is false for a new store.
func (s *Store) Identity() (id Identity, ok bool, err error) { return get[Identity](s, "landscape") }

// SetIdentity writes the identity.
func (s *Store) SetIdentity(id Identity) error { return put(s, "landscape", id) }

// Release tells which binary used a state directory last.
type Release struct {
	// Version of the binary.
	Version string `json:"version"`
	// Format of the state directory. It grows by one with each change that an older binary cannot read.
	Format int `json:"format"`
	// Kubernetes is the minor version that stores objects, such as 1.36.
	Kubernetes string `json:"kubernetes"`
}

// Release returns the last release; ok is false for directories that are new or older than this note.
func (s *Store) Release() (release Release, ok bool, err error) { return get[Release](s, "release") }

// SetRelease writes the release; call it after the state directory has its format.
func (s *Store) SetRelease(release Release) error { return put(s, "release", release) }

// Engine is the container engine of the landscape's containers, with the variables of the environment that select it. It
// contains no secrets.
type Engine struct {
	Name      string            `json:"name"`
	Variables map[string]string `json:"variables,omitempty"`
}

// Engine returns the container engine. ok is false for landscapes without one.
func (s *Store) Engine() (engine Engine, ok bool, err error) { return get[Engine](s, "engine") }

// SetEngine writes the container engine. Call it before the engine makes anything.
func (s *Store) SetEngine(engine Engine) error { return put(s, "engine", engine) }

// Port returns the port of a listener, or 0 if none is stored.
func (s *Store) Port(name string) (int32, error) {
	port, _, err := get[int32](s, "port/"+name)
	return port, err
}

// SetPort stores the port of a listener for the next start; 0 forgets it.
func (s *Store) SetPort(name string, port int32) error { return put(s, "port/"+name, port) }

// SetPorts stores the ports of listeners for the next start.
func (s *Store) SetPorts(ports map[string]int32) error {
	values := map[string]any{}
	for name, port := range ports {
		values["port/"+name] = port
	}
	return putAll(s, values)
}

// Entry is a line of the journal.
type Entry struct {
	Time    time.Time `json:"time"`
	Step    string    `json:"step"`
	Message string    `json:"message"`
}

const (
	journalPrefix = "journal/"
	journalLimit  = 500
)

// Journal returns the last entries, oldest first.
func (s *Store) Journal() ([]Entry, error) { return list[Entry](s, journalPrefix) }

// Note appends to the journal and keeps its last 500 entries. The journal is not part of the seal.
func (s *Store) Note(entry Entry) error {
	text, err := json.Marshal(entry)
	if err == nil {
		err = s.db.Update(func(tx *buntdb.Tx) error {
			_, _, err := tx.Set(fmt.Sprintf("%s%020d-%s", journalPrefix, entry.Time.UnixNano(), entry.Step), string(text), nil)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return trim(s, journalPrefix, journalLimit)
}

// Ports are those of all listeners, by their names.
func Ports(s *Store) (map[string]int32, error) {
	const prefix = "port/"
	ports := map[string]int32{}
	err := s.db.View(func(tx *buntdb.Tx) error {
		return tx.AscendKeys(prefix+"*", func(key, _ string) bool {
			ports[strings.TrimPrefix(key, prefix)] = 0
			return true
		})
	})
	for name := range ports {
		port, getErr := s.Port(name)
		if err = errors.Join(err, getErr); getErr == nil {
			ports[name] = port
		}
	}
	return ports, err
}
