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
func Sort(all []Snapshot) { slices.SortStableFunc(all, compare) }

func compare(a, b Snapshot) int {
	return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.End, b.End), cmp.Compare(b.Kind, a.Kind), a.Created.Compare(b.Created))
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
		chain, end := Chain{Full: full}, full.End
		for _, next := range sorted[i+1:] {
			if next.Kind == Delta && next.Generation == full.Generation && next.Start <= end+1 && next.End > end {
				chain.Deltas = append(chain.Deltas, next)
				end = next.End
			}
		}
		chains = append(chains, chain)
	}
	slices.Reverse(chains)
	return chains
}
