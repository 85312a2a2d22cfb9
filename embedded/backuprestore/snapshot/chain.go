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

// Sort sorts snapshots by time. A full snapshot precedes a delta of the same second, because deltas continue it.
func Sort(all []Snapshot) {
	slices.SortStableFunc(all, func(a, b Snapshot) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.End, b.End), cmp.Compare(a.Kind, b.Kind))
	})
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
			if next.Kind == Delta && next.Start <= end+1 && next.End > end {
				chain.Deltas = append(chain.Deltas, next)
				end = next.End
			}
		}
		chains = append(chains, chain)
	}
	slices.Reverse(chains)
	return chains
}
