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
	// formerPeriod is for how long the end of a generation is kept whole, with its deltas, after its data were put back to an earlier state: somebody may notice
	// that this was a mistake.
	formerPeriod = 7 * day
)

// Obsolete returns the snapshots to delete. The deltas of a full snapshot come before the full snapshot. The newest full snapshot,
// its deltas and final snapshots are always kept.
//
// Exponential keeps everything of the current and the previous hour, the last full snapshot of each hour of the day, of each of the
// 7 previous days, and of each of the 4 previous weeks. Weeks begin on Monday. Hours, days and weeks are those of UTC.
//
// Snapshots are in the order of their revisions. Times only tell how old they are.
//
// If the others have more than Bytes together, the oldest full snapshots with their deltas are obsolete, too.
func (p Policy) Obsolete(all []snapshot.Snapshot, now time.Time) []snapshot.Snapshot {
	sorted := slices.Clone(all)
	snapshot.Sort(sorted)
	obsolete := p.aged(sorted, now)
	return append(obsolete, p.excess(without(sorted, obsolete))...)
}

// aged are those that are too old.
func (p Policy) aged(sorted []snapshot.Snapshot, now time.Time) (obsolete []snapshot.Snapshot) {
	keep := p.exponential
	if p.Name == LimitBased {
		keep = p.limited
	}
	all := groups(sorted, now)
	if len(all) == 1 {
		return nil // deltas without a full snapshot, which may come
	}
	kept := keep(all[1:], now)
	for i, g := range all {
		newest := i == len(all)-1 || ends(all, i) && now.Sub(g.full.at) < formerPeriod
		retained := g.full != nil && (kept[g.full.Key()] || newest || g.full.Final)
		for _, delta := range g.deltas { // those of the first group have outlived their full snapshot
			if !p.keepsDelta(delta, newest, retained, now) {
				obsolete = append(obsolete, delta.Snapshot)
			}
		}
		if g.full != nil && !retained {
			obsolete = append(obsolete, g.full.Snapshot)
		}
	}
	return obsolete
}

// ends tells whether the group is the last one of a generation that another one follows.
func ends(all []group, i int) bool {
	return all[i].full != nil && all[i+1].full.Generation > all[i].full.Generation
}

// keepsDelta: Exponential keeps deltas of the last two hours, LimitBased those of the full snapshots that it keeps.
func (p Policy) keepsDelta(delta dated, newest, retained bool, now time.Time) bool {
	if newest || delta.Final || now.Sub(delta.at) < p.DeltaPeriod {
		return true
	}
	if p.Name == LimitBased {
		return retained
	}
	return recent(delta.at, now)
}

// recent tells whether the time is in the current or the previous hour.
func recent(t, now time.Time) bool { return !t.Before(hour(now).Add(-time.Hour)) }

func hour(t time.Time) time.Time     { return t.UTC().Truncate(time.Hour) }
func midnight(t time.Time) time.Time { return t.UTC().Truncate(day) }

// week is the Monday before t. The zero time is a Monday.
func week(t time.Time) time.Time { return t.UTC().Truncate(7 * day) }

func (p Policy) limited(all []group, _ time.Time) map[string]bool {
	limit := p.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	kept := map[string]bool{}
	for _, g := range all[max(0, len(all)-limit):] {
		kept[g.full.Key()] = true
	}
	return kept
}

func (p Policy) exponential(all []group, now time.Time) map[string]bool {
	kept := map[string]bool{}
	last := map[time.Time]string{} // of each hour, day or week, by its begin
	for _, g := range all {
		key := g.full.Key()
		switch t := g.full.at; {
		case recent(t, now):
			kept[key] = true
		case !t.Before(midnight(now)):
			last[hour(t)] = key
		case !t.Before(midnight(now).Add(-dailies * day)):
			last[midnight(t)] = key
		case !t.Before(week(now).Add(-weeklies * 7 * day)):
			last[week(t).Add(time.Nanosecond)] = key // a week begins with a day, and is not that day
		}
	}
	for _, key := range last {
		kept[key] = true
	}
	return kept
}
