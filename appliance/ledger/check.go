package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Check returns a LossError if the state directory has lost something that cannot be made again, or if a backup was not restored to it
// completely. It changes nothing. A directory whose store has no ledger yet was last used by an older binary, which kept none.
func Check(p paths.Paths) error {
	if _, err := os.Lstat(paths.Restoring(p)); err == nil {
		return &LossError{Text: "a backup was being restored to it, and that was interrupted", Cure: "restore the backup once more: gardener backup restore ARCHIVE"}
	}
	return Compare(p)
}

// Compare is Check for a directory to which a backup is being restored.
func Compare(p paths.Paths) error {
	noted := readRecord(p.Record())
	s, err := store.Read(p.Store())
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrUnreadable) {
		return err
	}
	if err != nil {
		return lostStore(p, noted, err)
	}
	defer s.Close()
	id, known, err := s.Identity()
	if err != nil || !known {
		return lostStore(p, noted, err)
	}
	if noted != nil {
		if noted.Landscape != id.ID {
			return lost([]loss{{what: fmt.Sprintf("%s and %s are those of two landscapes, %q and %q", relative(p, p.Store()), relative(p, p.Etcd("")), id.ID, noted.Landscape),
				without: "the keys in one of them do not fit the data in the other"}})
		}
		if err := compareStore(p, s, noted.Store); err != nil {
			return err
		}
	}
	ledger, known, err := s.Ledger()
	if err != nil || !known {
		return err
	}
	return lost(append(lostKeys(p, ledger), lostEtcds(p, ledger)...))
}

// withoutStore says what is lost with the store.
const withoutStore = "the landscape does not know its identity, its ports, its further seeds and what it has made on this machine"

// lostStore is about a store that is missing, cannot be read or knows no landscape. A directory without keys and data of etcd
// is that of a start that ended early.
func lostStore(p paths.Paths, noted *record, cause error) error {
	if noted == nil && !hasFiles(p.PKI()) && !hasFiles(p.Etcd("")) && !errors.Is(cause, store.ErrUnreadable) {
		return nil
	}
	what := relative(p, p.Store())
	switch {
	case errors.Is(cause, fs.ErrNotExist):
		what += " is missing"
	case cause != nil:
		what += " is damaged"
	default:
		what += " is empty"
	}
	return lost([]loss{{what: what, without: withoutStore, copied: lastGood(p, noted)}})
}

// compareStore refuses a store that has lost some of the content that it had when the record was written.
func compareStore(p paths.Paths, s *store.Store, before store.Seal) error {
	now, err := s.Seal()
	if err != nil {
		return err
	}
	if now.Revision > before.Revision || now == before {
		return nil
	}
	return lost([]loss{{what: relative(p, p.Store()) + " has lost some of its content, or is an older copy", without: withoutStore,
		copied: lastGood(p, &record{Store: before})}})
}

// lastGood is the command that puts the last good copy of the store back, or empty if the copy is damaged or too old.
func lastGood(p paths.Paths, noted *record) string {
	s, err := store.Read(p.LastGood())
	if err != nil {
		return ""
	}
	defer s.Close()
	id, known, err := s.Identity()
	if err != nil || !known || noted != nil && noted.Landscape != "" && noted.Landscape != id.ID {
		return ""
	}
	if noted != nil {
		if seal, err := s.Seal(); err != nil || seal.Revision < noted.Store.Revision {
			return ""
		}
	}
	return putBack(p.LastGood(), p.Store())
}
