package compaction

import (
	"encoding/json"
	"strconv"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Thresholds of an Etcd that names none. They are etcd-druid's.
const (
	defaultEvents = 1_000_000
	defaultFull   = 3_000_000
)

// Action is what an Etcd needs.
type Action string

// Actions.
const (
	None  Action = ""
	Merge Action = "merge"
	// Full takes a full snapshot of the etcd, because merging so many events takes longer.
	Full Action = "full"
)

// decide decides by the number of events since the last full snapshot. A full snapshot is taken if these snapshots could not be merged before: one of them may be
// damaged.
func decide(events int64, spec *druidv1alpha1.SnapshotCompactionSpec, failed bool) Action {
	merge := positive(spec.EventsThreshold, defaultEvents)
	full := positive(spec.TriggerFullSnapshotThreshold, max(defaultFull, defaultFull/defaultEvents*merge))
	switch {
	case events >= full, events >= merge && failed:
		return Full
	case events >= merge:
		return Merge
	}
	return None
}

func positive(wanted *int64, otherwise int64) int64 {
	if wanted == nil || *wanted <= 0 {
		return otherwise
	}
	return *wanted
}

// Annotation of the Lease for full snapshots tells how the last compaction ended. Members write the rest of the Lease.
const Annotation = "druid.gardener.cloud/last-compaction"

// Result of a compaction.
type Result struct {
	// Revision up to which snapshots are merged; that of an earlier compaction if the last one failed.
	Revision  int64 `json:"revision,omitempty"`
	Succeeded bool  `json:"succeeded"`
	// Failed is the revision up to which snapshots could not be merged the last time.
	Failed int64 `json:"failed,omitempty"`
	// Job is the UID of the Job, which is counted once.
	Job string `json:"job,omitempty"`
	// Message tells more.
	Message string `json:"message,omitempty"`
}

// ResultOf reads the result of the last compaction; nil if there was none.
func ResultOf(full *coordinationv1.Lease) *Result {
	out := &Result{}
	if full == nil || json.Unmarshal([]byte(full.Annotations[Annotation]), out) != nil {
		return nil
	}
	return out
}

// revision is what a member has told by a Lease for snapshots; 0 if it has told nothing.
func revision(lease *coordinationv1.Lease) int64 {
	n, err := strconv.ParseInt(ptr.Deref(lease.Spec.HolderIdentity, ""), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// failed reports whether snapshots since the last full one, which was taken, could not be merged.
func failed(full *coordinationv1.Lease) bool {
	last := ResultOf(full)
	return last != nil && last.Failed > revision(full)
}

// events is the number of events between the last full snapshot, taken or merged, and the newest delta.
func events(full, delta *coordinationv1.Lease) int64 {
	taken, end := revision(full), revision(delta)
	if taken == 0 || end == 0 {
		return 0 // nothing is told yet
	}
	if last := ResultOf(full); last != nil && last.Revision <= end { // else it is that of data before they were put back
		taken = max(taken, last.Revision)
	}
	return max(end-taken, 0)
}
