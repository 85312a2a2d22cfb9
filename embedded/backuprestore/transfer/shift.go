package transfer

import (
	"slices"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// taken tells a snapshot and its copies from all others: copies may have another generation, and are not final.
type taken struct {
	kind                snapshot.Kind
	start, end, created int64
}

// endsWith tells whether a snapshot that was made of others ends with that one, or its copy. Then it has nothing that the other one did not have.
func endsWith(merged, one snapshot.Snapshot) bool {
	return one.End == merged.End && one.Created.Equal(merged.Created)
}

func takenOf(s snapshot.Snapshot) taken { return taken{s.Kind, s.Start, s.End, s.Created.Unix()} }

// shift is what copies add to the generations of their originals. Usually it is 0.
//
// An etcd that has lost its control plane may have stored snapshots after the copies to its successor, whose revisions or generations are higher than those of the
// successor. When the control plane comes back, copies of the successor's snapshots have to come after them. If the source has no snapshot that the target
// did not have, the target is newer, and stays so.
//
// Copies that are there do not change the result, so a copy may be repeated.
func shift(source, target []snapshot.Snapshot) (generations int64) {
	if len(source) == 0 {
		return 0
	}
	originals := map[taken]int64{} // their generations
	for _, s := range source {
		originals[takenOf(s)] = s.Generation
	}
	newest, lowest := slices.MaxFunc(source, snapshot.Compare), source[0].Generation
	for _, s := range source {
		lowest = min(lowest, s.Generation)
	}
	var others []snapshot.Snapshot // that are no copies of the source
	known := false
	for _, t := range target {
		generation, copied := originals[takenOf(t)]
		if !copied {
			others = append(others, t)
			continue
		}
		generations = max(generations, t.Generation-generation)
		known = known || takenOf(t) == takenOf(newest)
	}
	known = known || newest.Compacted && slices.ContainsFunc(target, func(t snapshot.Snapshot) bool { return endsWith(newest, t) })
	newest.Generation += generations
	if known || !slices.ContainsFunc(others, func(t snapshot.Snapshot) bool { return snapshot.Compare(t, newest) > 0 }) {
		return generations
	}
	for _, t := range others {
		generations = max(generations, t.Generation+1-lowest)
	}
	return generations
}
