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
	fulls := filter(sorted, snapshot.Full)
	if p.Bytes <= 0 || left <= p.Bytes || len(fulls) == 0 {
		return nil
	}
	excess := slices.DeleteFunc(deltasOf(sorted, time.Time{}, fulls[0].Created), final)
	left -= bytes(excess)
	for i, full := range fulls[:len(fulls)-1] {
		if left <= p.Bytes {
			break
		}
		chain := append(deltasOf(sorted, full.Created, fulls[i+1].Created), full)
		chain = slices.DeleteFunc(chain, final)
		excess, left = append(excess, chain...), left-bytes(chain)
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
