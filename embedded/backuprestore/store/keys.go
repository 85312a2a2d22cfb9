package store

import (
	"context"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Keys are those of the store, which encrypt and decrypt snapshots. They are read again each time, so new ones need no restart. The Store itself uses none: it
// reads and writes snapshots as they are stored.
func (s *Store) Keys() (encryption.Keys, error) { return s.config.keys() }

// SourceKeys are those of the store that snapshots were copied from. They only decrypt. Nobody who stores a snapshot needs them.
func (s *Store) SourceKeys() (encryption.Keys, error) { return s.config.sourceKeys() }

// DecryptsAlone returns an error unless the keys of the store decrypt a snapshot, without those of the source. It reads the beginning of the snapshot.
func (s *Store) DecryptsAlone(ctx context.Context, what snapshot.Snapshot) error {
	if !what.Encrypted {
		return nil
	}
	keys, err := s.Keys()
	if err != nil {
		return err
	}
	stored, err := s.Open(ctx, what)
	if err != nil {
		return err
	}
	defer stored.Close()
	_, err = keys.Reader(stored)
	return err
}

// keys reads the keys. A directory that is missing is an error, because snapshots would not be encrypted without it.
func (c Config) keys() (encryption.Keys, error) {
	if c.Credentials != "" {
		if _, err := os.Stat(c.Credentials); err != nil {
			return encryption.Keys{}, fmt.Errorf("read the Secret of the store: %w", err)
		}
	}
	return encryption.Read(c.secret())
}

func (c Config) sourceKeys() (encryption.Keys, error) {
	if c.SourceCredentials == "" {
		return encryption.Keys{}, nil
	}
	keys, err := encryption.Read(secretfiles.Dir(c.SourceCredentials))
	if err != nil {
		return encryption.Keys{}, fmt.Errorf("keys of the source: %w", err)
	}
	return keys, nil
}
