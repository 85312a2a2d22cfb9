package retention

import (
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// excess are the oldest full snapshots with the deltas up to the next full one, until the others have no more than Bytes. A delta
// before all full snapshots is of use to none.
func (p Policy) excess(sorted []snapshot.Snapshot) []snapshot.Snapshot {
	left := bytes(sorted)
	all := groups(sorted, time.Time{})
	if p.Bytes <= 0 || left <= p.Bytes || len(all) == 1 {
		return nil
	}
	var excess []snapshot.Snapshot
	for i, g := range all[:len(all)-1] {
		if i > 0 && left <= p.Bytes {
			break
		}
		parts := slices.DeleteFunc(g.parts(), final)
		excess, left = append(excess, parts...), left-bytes(parts)
	}
	return excess
}

func final(s snapshot.Snapshot) bool { return s.Final }

func bytes(all []snapshot.Snapshot) (sum int64) {
	for _, s := range all {
		sum += s.Size
	}
	return sum
}

func without(all, some []snapshot.Snapshot) []snapshot.Snapshot {
	return slices.DeleteFunc(slices.Clone(all), func(s snapshot.Snapshot) bool { return slices.Contains(some, s) })
}
