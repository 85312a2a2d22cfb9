package store

import (
	"fmt"

	"github.com/tidwall/buntdb"
)

// trim deletes the first keys of a prefix until no more than limit are left.
func trim(s *Store, prefix string, limit int) error {
	err := s.db.Update(func(tx *buntdb.Tx) error {
		var keys []string
		if err := tx.AscendKeys(prefix+"*", func(key, _ string) bool {
			keys = append(keys, key)
			return true
		}); err != nil {
			return err
		}
		for _, key := range keys[:max(0, len(keys)-limit)] {
			if _, err := tx.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("trim %q of the store: %w", prefix, err)
	}
	return nil
}
