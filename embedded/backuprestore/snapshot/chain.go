package snapshot

import (
	"cmp"
	"slices"
)

// Chain is a full snapshot and the deltas that continue it without a gap.
type Chain struct {
	Full   Snapshot
	Deltas []Snapshot
}

// End is the last revision of the chain.
func (c Chain) End() int64 {
	if n := len(c.Deltas); n > 0 {
		return c.Deltas[n-1].End
	}
	return c.Full.End
}

// Latest is the newest snapshot of the chain.
func (c Chain) Latest() Snapshot {
	if n := len(c.Deltas); n > 0 {
		return c.Deltas[n-1]
	}
	return c.Full
}

// Sort sorts snapshots by generation and revision. A delta precedes a full snapshot of the same revision, which contains it. Full snapshots
// of the same revision are in order of time.
func Sort(all []Snapshot) { slices.SortStableFunc(all, Compare) }

// Compare is the order of Sort. A snapshot that was made of others precedes those of the etcd, whatever the clock of its maker was.
func Compare(a, b Snapshot) int {
	return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.End, b.End), cmp.Compare(b.Kind, a.Kind), byMaker(a, b), a.Created.Compare(b.Created))
}

func byMaker(a, b Snapshot) int {
	switch {
	case a.Compacted == b.Compacted:
		return 0
	case a.Compacted:
		return -1
	}
	return 1
}

// Chains returns a chain for each full snapshot, the newest first. A chain contains all deltas that continue its full snapshot, also
// past a later full snapshot. So if the later full snapshot is damaged, the older one with all its deltas has the same data.
func Chains(all []Snapshot) []Chain {
	sorted := slices.Clone(all)
	Sort(sorted)
	var chains []Chain
	for i, full := range sorted {
		if full.Kind != Full {
			continue
		}
		chains = append(chains, Chain{Full: full, Deltas: continuation(full, sorted[i+1:])})
	}
	slices.Reverse(chains)
	return chains
}

// continuation are the deltas that continue a full snapshot. Where some overlap, the one that was taken last counts: leaders that have overlapped have stored the
// same, but a store may have deltas of data that were put back before there were generations. The last revision that can be reached does not depend on it.
func continuation(full Snapshot, later []Snapshot) (deltas []Snapshot) {
	for end := full.End; ; {
		best := -1
		for i, next := range later {
			fits := next.Kind == Delta && next.Generation == full.Generation && next.Start <= end+1 && next.End > end
			if fits && (best < 0 || next.Created.After(later[best].Created)) {
				best = i
			}
		}
		if best < 0 {
			return deltas
		}
		deltas, end = append(deltas, later[best]), later[best].End
	}
}
