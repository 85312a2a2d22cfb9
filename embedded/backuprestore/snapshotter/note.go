package snapshotter

import (
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// unwritten is a note that could not be written, for example because the volume is full or the data directory is gone. Snapshots are stored nevertheless:
// an old note costs a full snapshot at most, but changes that are not stored may be lost. This process goes on with what it wanted to write as long as the
// note is the old one, so that its next session does not begin another generation.
type unwritten struct{ old, wanted *snapshot.Snapshot }

// noted is the newest snapshot that the data are noted to contain, nil if there is no note.
func (s *Snapshotter) noted() *snapshot.Snapshot {
	noted, err := s.config.Known.Read()
	if err != nil {
		s.config.Log.Error(err, "The data of the etcd count as put back, because the note of the newest snapshot cannot be read")
	}
	if s.unwritten != nil && same(noted, s.unwritten.old) {
		return s.unwritten.wanted
	}
	s.unwritten = nil
	return noted
}

func same(a, b *snapshot.Snapshot) bool { return a == b || a != nil && b != nil && a.Key() == b.Key() }

// contains notes that the data contain a snapshot. The note never goes back: one that could not be stored may still appear in the store.
func (s *session) contains(made snapshot.Snapshot) {
	if s.known != nil && snapshot.Compare(made, *s.known) <= 0 {
		return
	}
	old := s.known
	s.known = &made
	err := s.config.Known.Write(made)
	switch {
	case err == nil:
		s.unwritten = nil
		return
	case s.unwritten == nil:
		s.unwritten = &unwritten{old: old}
	}
	s.unwritten.wanted = &made
	s.config.Log.Error(err, "The newest snapshot is stored without a note in the data of the etcd")
}
