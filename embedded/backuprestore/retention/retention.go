// Package retention decides which snapshots are deleted.
package retention

import (
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Policies, named as in the Etcd.
const (
	Exponential = "Exponential"
	LimitBased  = "LimitBased"
)

// DefaultLimit is how many full snapshots the policy LimitBased keeps.
const DefaultLimit = 7

// Policy decides which snapshots are kept.
type Policy struct {
	// Name is Exponential (the default) or LimitBased.
	Name string
	// Limit is how many full snapshots LimitBased keeps; DefaultLimit if it is 0.
	Limit int
	// DeltaPeriod keeps deltas for at least this long, even if their full snapshot is deleted.
	DeltaPeriod time.Duration
	// Bytes is how many bytes all snapshots may have together; 0 means no limit. It comes before all other rules, apart from those
	// for the newest full snapshot with its deltas and for final snapshots.
	Bytes int64
}

// Days and weeks for which Exponential keeps the last full snapshot.
const (
	dailies  = 7
	weeklies = 4
	day      = 24 * time.Hour
)

// Obsolete returns the snapshots to delete. The deltas of a full snapshot come before the full snapshot. The newest full snapshot,
// its deltas and final snapshots are always kept.
//
// Exponential keeps everything of the current and the previous hour, the last full snapshot of each hour of the day, of each of the
// 7 previous days, and of each of the 4 previous weeks. Weeks begin on Monday. Hours, days and weeks are those of UTC.
//
// If the others have more than Bytes together, the oldest full snapshots with their deltas are obsolete, too.
func (p Policy) Obsolete(all []snapshot.Snapshot, now time.Time) []snapshot.Snapshot {
	sorted := slices.Clone(all)
	snapshot.Sort(sorted)
	obsolete := p.aged(sorted, now)
	return append(obsolete, p.excess(without(sorted, obsolete))...)
}

// aged are those that are too old.
func (p Policy) aged(sorted []snapshot.Snapshot, now time.Time) []snapshot.Snapshot {
	keep := p.exponential
	if p.Name == LimitBased {
		keep = p.limited
	}
	fulls := filter(sorted, snapshot.Full)
	kept := keep(fulls, now)
	var obsolete []snapshot.Snapshot
	if len(fulls) > 0 { // those before it have outlived their full snapshot
		for _, delta := range deltasOf(sorted, time.Time{}, fulls[0].Created) {
			if !p.keepsDelta(delta, false, false, now) {
				obsolete = append(obsolete, delta)
			}
		}
	}
	for i, full := range fulls {
		newest := i == len(fulls)-1
		var until time.Time // deltas belong to the last full snapshot before them
		if !newest {
			until = fulls[i+1].Created
		}
		retained := kept[full.Key()] || newest || full.Final
		for _, delta := range deltasOf(sorted, full.Created, until) {
			if !p.keepsDelta(delta, newest, retained, now) {
				obsolete = append(obsolete, delta)
			}
		}
		if !retained {
			obsolete = append(obsolete, full)
		}
	}
	return obsolete
}

// keepsDelta: Exponential keeps deltas of the last two hours, LimitBased those of the full snapshots that it keeps.
func (p Policy) keepsDelta(delta snapshot.Snapshot, newest, retained bool, now time.Time) bool {
	if newest || delta.Final || now.Sub(delta.Created) < p.DeltaPeriod {
		return true
	}
	if p.Name == LimitBased {
		return retained
	}
	return recent(delta.Created, now)
}

// recent tells whether the time is in the current or the previous hour, or later.
func recent(t, now time.Time) bool { return !t.Before(hour(now).Add(-time.Hour)) }

func hour(t time.Time) time.Time     { return t.UTC().Truncate(time.Hour) }
func midnight(t time.Time) time.Time { return t.UTC().Truncate(day) }

// week is the Monday before t. The zero time is a Monday.
func week(t time.Time) time.Time { return t.UTC().Truncate(7 * day) }

func (p Policy) limited(fulls []snapshot.Snapshot, _ time.Time) map[string]bool {
	limit := p.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	kept := map[string]bool{}
	for _, full := range fulls[max(0, len(fulls)-limit):] {
		kept[full.Key()] = true
	}
	return kept
}

func (p Policy) exponential(fulls []snapshot.Snapshot, now time.Time) map[string]bool {
	kept := map[string]bool{}
	last := map[time.Time]string{} // of each hour, day or week, by its begin
	for _, full := range fulls {
		switch t := full.Created; {
		case recent(t, now):
			kept[full.Key()] = true
		case !t.Before(midnight(now)):
			last[hour(t)] = full.Key()
		case !t.Before(midnight(now).Add(-dailies * day)):
			last[midnight(t)] = full.Key()
		case !t.Before(week(now).Add(-weeklies * 7 * day)):
			last[week(t).Add(time.Nanosecond)] = full.Key() // a week begins with a day, and is not that day
		}
	}
	for _, key := range last {
		kept[key] = true
	}
	return kept
}

func filter(all []snapshot.Snapshot, kind snapshot.Kind) []snapshot.Snapshot {
	return slices.DeleteFunc(slices.Clone(all), func(s snapshot.Snapshot) bool { return s.Kind != kind })
}

// deltasOf are those from a time on, until another unless that is zero.
func deltasOf(sorted []snapshot.Snapshot, from, until time.Time) []snapshot.Snapshot {
	return slices.DeleteFunc(filter(sorted, snapshot.Delta), func(s snapshot.Snapshot) bool {
		return s.Created.Before(from) || !until.IsZero() && !s.Created.Before(until)
	})
}
