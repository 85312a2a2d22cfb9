package store

import (
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

// Keys are those that encrypt and decrypt snapshots. They are read again each time, so new ones need no restart. The Store itself uses none: it reads
// and writes snapshots as they are stored.
func (s *Store) Keys() (encryption.Keys, error) { return s.keys() }

// keys reads the keys. A directory that is missing is an error, because snapshots would not be encrypted without it.
func (c Config) keys() (encryption.Keys, error) {
	if c.Credentials != "" {
		if _, err := os.Stat(c.Credentials); err != nil {
			return encryption.Keys{}, fmt.Errorf("read the Secret of the store: %w", err)
		}
	}
	keys, err := encryption.Read(c.secret())
	if err != nil || c.SourceCredentials == "" {
		return keys, err
	}
	more, err := encryption.Read(secretfiles.Dir(c.SourceCredentials))
	if err != nil {
		return encryption.Keys{}, fmt.Errorf("of the source: %w", err)
	}
	return keys.Also(more), nil
}
