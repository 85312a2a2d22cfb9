// Package store keeps in one buntdb file what must survive the loss of etcd: the identity of the landscape, its ports, the
// inventory of everything made outside of etcd, and the journal of starts. With it, `gardener down --purge` removes
// everything even if etcd is lost. What can be in a Kubernetes object does not belong here.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidwall/buntdb"
)

// ErrUnreadable is wrapped by the error of Open if the file is damaged or no store.
var ErrUnreadable = errors.New("the landscape's store cannot be read")

// Store is an open store. Every write is on disk when the method returns.
type Store struct{ db *buntdb.DB }

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

func put(s *Store, key string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = s.db.Update(func(tx *buntdb.Tx) error {
			_, _, err := tx.Set(key, string(text), nil)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("write %q to the store: %w", key, err)
	}
	return nil
}

func remove(s *Store, key string) error {
	err := s.db.Update(func(tx *buntdb.Tx) error {
		_, err := tx.Delete(key)
		return err
	})
	if err != nil && !errors.Is(err, buntdb.ErrNotFound) {
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
