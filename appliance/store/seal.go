package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tidwall/buntdb"
)

// revisionKey holds the number of changes.
const revisionKey = "revision"

// Seal tells contents of a store apart. A store that has lost its end has a smaller revision, or another sum at the same revision.
type Seal struct {
	// Revision grows with each change.
	Revision uint64 `json:"revision"`
	// Sum is that of all keys and values but the journal.
	Sum string `json:"sum"`
}

// Seal returns the seal of the present content. The revision of a store that was never sealed is 0.
func (s *Store) Seal() (Seal, error) {
	var seal Seal
	sum := sha256.New()
	err := s.db.View(func(tx *buntdb.Tx) (err error) {
		if seal.Revision, err = revision(tx); err != nil {
			return err
		}
		return tx.Ascend("", func(key, value string) bool { // in the order of keys
			if key != revisionKey && !strings.HasPrefix(key, journalPrefix) {
				fmt.Fprintf(sum, "%q %q\n", key, value)
			}
			return true
		})
	})
	if err != nil {
		return Seal{}, fmt.Errorf("seal the store: %w", err)
	}
	seal.Sum = hex.EncodeToString(sum.Sum(nil))
	return seal, nil
}

// OnChange calls a function after each change, apart from the journal. Its error is that of the change. The function must not
// change the store. There is one such function.
func (s *Store) OnChange(changed func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// Copy writes the content as a store that Open and Read can read.
func (s *Store) Copy(w io.Writer) error { return s.db.Save(w) }

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
