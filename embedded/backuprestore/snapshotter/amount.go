package snapshotter

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// quotaShare: deltas of an eighth of the quota may always follow a full snapshot, 1 GiB of 8 GiB. A busy cluster makes less in a day.
const quotaShare = 8

// amount is how many bytes are stored from the newest full snapshot on.
type amount struct{ full, deltas int64 }

func amountOf(chain snapshot.Chain) amount {
	out := amount{full: chain.Full.Size}
	for _, delta := range chain.Deltas {
		out.deltas += delta.Size
	}
	return out
}

// enough tells whether a full snapshot is due because there are many deltas. Who overwrites one object for hours makes deltas without
// end while the database stays small, and only deltas before a full snapshot can be deleted. The deltas must have more bytes than the
// full snapshot. So the full snapshots at most double what is written, and a restoration reads at most twice the database. As a full
// snapshot is not longer than the quota, neither are the deltas after it, apart from the last one.
func (s *Snapshotter) enough(since amount) bool {
	return s.config.Quota > 0 && since.deltas > max(since.full, s.config.Quota/quotaShare)
}

// errSpool ends a session whose changes cannot be stored. The next one watches them again, or begins with a full snapshot.
var errSpool = errors.New("the changes that could not be stored have more bytes than the database may have")

// renew takes a full snapshot if there are enough deltas.
func (s *session) renew(ctx context.Context) error {
	if s.config.Quota > 0 && s.spool.size > max(s.config.Quota, 2*s.config.DeltaLimit) {
		return errSpool
	}
	if !s.enough(s.since) {
		return nil
	}
	s.config.Log.Info("A full snapshot is taken early, because many changes were stored since the last one", "bytes", s.since.deltas)
	if _, err := s.full(ctx, false); err != nil {
		return err
	}
	early.Inc()
	return nil
}
