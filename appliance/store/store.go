// Package store keeps in one buntdb file what must survive the loss of etcd: the identity of the landscape, its ports, the
// inventory of everything made outside of etcd, and the journal of starts. With it, `gardener down --purge` removes
// everything even if etcd is lost. What can be in a Kubernetes object does not belong here.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/tidwall/buntdb"
)

// revisionKey holds the number of changes.
const revisionKey = "revision"

// ErrUnreadable is wrapped by the error of Open if the file is damaged or no store.
var ErrUnreadable = errors.New("the landscape's store cannot be read")

// Store is an open store. Every write is on disk when the method returns.
type Store struct {
	db *buntdb.DB

	mu      sync.Mutex // held during a change
	changed func() error
}

// Open opens or creates the file. It cuts off an entry at the end that a crash left half-written. Any other damage is
// ErrUnreadable.
func Open(file string) (*Store, error) {
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db, err := buntdb.Open(file)
	if errors.Is(err, buntdb.ErrInvalid) {
		return nil, fmt.Errorf("%w: %s is damaged", ErrUnreadable, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect store: %w", err), db.Close())
	}
	var cfg buntdb.Config
	if err := db.ReadConfig(&cfg); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	cfg.SyncPolicy = buntdb.Always
	if err := db.SetConfig(cfg); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db}, nil
}

// Read reads the file into memory and changes nothing in it. Writes to the result are lost. A missing file is fs.ErrNotExist.
func Read(file string) (*Store, error) {
	content, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	defer content.Close()
	db, err := buntdb.Open(":memory:")
	if err != nil {
		return nil, err
	}
	if err := load(db, content); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // which Open cuts off
		return nil, errors.Join(fmt.Errorf("%w: %s is damaged", ErrUnreadable, file), db.Close())
	}
	return &Store{db: db}, nil
}

// load turns panics into errors: the parser trusts what it reads.
func load(db *buntdb.DB, content io.Reader) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = buntdb.ErrInvalid
		}
	}()
	return db.Load(content)
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// get decodes the value of a key. ok is false if the key does not exist.
func get[T any](s *Store, key string) (value T, ok bool, err error) {
	err = s.db.View(func(tx *buntdb.Tx) error {
		text, err := tx.Get(key)
		if errors.Is(err, buntdb.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		return json.Unmarshal([]byte(text), &value)
	})
	if err != nil {
		err = fmt.Errorf("read %q from the store: %w", key, err)
	}
	return value, ok, err
}

// put writes a value. The same value is not written again.
func put(s *Store, key string, value any) error {
	return putAll(s, map[string]any{key: value})
}

// putAll writes the values that differ, all of them or none.
func putAll(s *Store, values map[string]any) error {
	texts := map[string]string{}
	for key, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("write %q to the store: %w", key, err)
		}
		if old, known, err := textOf(s, key); err != nil || !known || old != string(text) {
			texts[key] = string(text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	err := s.change(func(tx *buntdb.Tx) error {
		for key, text := range texts {
			if _, _, err := tx.Set(key, text, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write %q to the store: %w", slices.Sorted(maps.Keys(texts)), err)
	}
	return nil
}

func textOf(s *Store, key string) (text string, known bool, err error) {
	err = s.db.View(func(tx *buntdb.Tx) error {
		text, err = tx.Get(key)
		return err
	})
	if errors.Is(err, buntdb.ErrNotFound) {
		return "", false, nil
	}
	return text, err == nil, err
}

func remove(s *Store, key string) error {
	if _, known, err := textOf(s, key); err == nil && !known {
		return nil
	}
	err := s.change(func(tx *buntdb.Tx) error {
		_, err := tx.Delete(key)
		return err
	})
	if err != nil {
		return fmt.Errorf("remove %q from the store: %w", key, err)
	}
	return nil
}

func list[T any](s *Store, prefix string) ([]T, error) {
	var values []T
	err := s.db.View(func(tx *buntdb.Tx) error {
		var failed error
		err := tx.AscendKeys(prefix+"*", func(_, text string) bool {
			var value T
			if failed = json.Unmarshal([]byte(text), &value); failed != nil {
				return false
			}
			values = append(values, value)
			return true
		})
		return errors.Join(err, failed)
	})
	if err != nil {
		return nil, fmt.Errorf("list %q of the store: %w", prefix, err)
	}
	return values, nil
}

// OnChange calls a function after each change, apart from the journal. Its error is that of the change. The function must not
// change the store. There is one such function.
func (s *Store) OnChange(changed func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// change writes the revision first: what a power cut leaves of a change never has the revision of the content before it.
func (s *Store) change(do func(*buntdb.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.db.Update(func(tx *buntdb.Tx) error {
		last, err := revision(tx)
		if err != nil {
			return err
		}
		_, _, err = tx.Set(revisionKey, strconv.FormatUint(last+1, 10), nil)
		return err
	})
	if err == nil {
		err = s.db.Update(do)
	}
	if err == nil && s.changed != nil {
		err = s.changed()
	}
	return err
}

func revision(tx *buntdb.Tx) (uint64, error) {
	text, err := tx.Get(revisionKey)
	if errors.Is(err, buntdb.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(text, 10, 64)
}
