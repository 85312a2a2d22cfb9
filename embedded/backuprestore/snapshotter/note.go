package snapshotter

import (
	"slices"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// note is what is known of the note in the data. If it cannot be written, for example because the volume is full or the data directory is gone, snapshots are
// stored nevertheless: an old note costs a full snapshot at most, but changes that are not stored may be lost. This process goes on with what it wanted to
// write as long as the note is the old one, so that its next session does not begin another generation.
type note struct {
	onDisk []snapshot.Snapshot
	// unwritten is what could not be written; nil if there is no such thing.
	unwritten []snapshot.Snapshot
}

// noted are the snapshots that the data are noted to contain, nil if there is no note.
func (s *Snapshotter) noted() []snapshot.Snapshot {
	noted, err := s.config.Known.Read()
	if err != nil {
		s.config.Log.Error(err, "The data of the etcd count as put back, because the note of the newest snapshots cannot be read")
	}
	if s.inData.unwritten != nil && same(noted, s.inData.onDisk) {
		return s.inData.unwritten
	}
	s.inData = note{onDisk: noted}
	return noted
}

func same(a, b []snapshot.Snapshot) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(a, b snapshot.Snapshot) bool { return a.Key() == b.Key() })
}

// contains notes that the data contain a snapshot.
func (s *session) contains(made snapshot.Snapshot) {
	if known.Has(s.known, made) {
		return
	}
	s.known = known.With(s.known, made)
	if err := s.config.Known.Write(s.known...); err != nil {
		s.inData.unwritten = s.known
		s.config.Log.Error(err, "The newest snapshot is stored without a note in the data of the etcd")
		return
	}
	s.inData = note{onDisk: s.known}
}

// stored forgets the snapshots before one that is in the store, so that the next note does not have them.
func (s *session) stored(made snapshot.Snapshot) {
	if i := slices.IndexFunc(s.known, func(one snapshot.Snapshot) bool { return one.Key() == made.Key() }); i >= 0 {
		s.known = s.known[i:]
	}
}
