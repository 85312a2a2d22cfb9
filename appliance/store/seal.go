package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/buntdb"
)

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

// Copy writes the content as a store that Open and Read can read.
func (s *Store) Copy(w io.Writer) error { return s.db.Save(w) }
