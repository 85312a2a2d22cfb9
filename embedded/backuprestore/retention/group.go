package retention

import (
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// dated is a snapshot and the time that counts as that of its creation.
type dated struct {
	snapshot.Snapshot
	at time.Time
}

// group is a full snapshot and the deltas up to the next one. The first group has the deltas before all full snapshots, and no full snapshot.
type group struct {
	full   *dated
	deltas []dated
}

// groups splits snapshots that are in order.
//
// A time in the future is that of a clock that ran ahead. Such a snapshot is as old as the next one whose time is possible, or new if there is none. Otherwise
// it and all that belongs to it would stay until that time.
func groups(sorted []snapshot.Snapshot, now time.Time) []group {
	all := make([]dated, len(sorted))
	next := now
	for i, s := range slices.Backward(sorted) {
		if !s.Created.After(now) {
			next = s.Created
		}
		all[i] = dated{s, next}
	}
	out := []group{{}}
	for i := range all {
		if all[i].Kind == snapshot.Full {
			out = append(out, group{full: &all[i]})
			continue
		}
		last := &out[len(out)-1]
		last.deltas = append(last.deltas, all[i])
	}
	return out
}

// parts are the snapshots of the group. The deltas come before the full snapshot.
func (g group) parts() (all []snapshot.Snapshot) {
	for _, delta := range g.deltas {
		all = append(all, delta.Snapshot)
	}
	if g.full != nil {
		all = append(all, g.full.Snapshot)
	}
	return all
}
