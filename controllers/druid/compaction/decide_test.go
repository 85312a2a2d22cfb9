package compaction

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestDecide(t *testing.T) {
	own := &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](10), TriggerFullSnapshotThreshold: ptr.To[int64](30)}
	for name, tc := range map[string]struct {
		events int64
		spec   *druidv1alpha1.SnapshotCompactionSpec
		want   Action
	}{
		"few events are left alone":                              {9, own, None},
		"events from the threshold on are merged":                {10, own, Merge},
		"very many events take a full snapshot":                  {30, own, Full},
		"without thresholds a million events are merged":         {1_000_000, &druidv1alpha1.SnapshotCompactionSpec{}, Merge},
		"without thresholds fewer are left alone":                {999_999, &druidv1alpha1.SnapshotCompactionSpec{}, None},
		"without thresholds three millions take a full snapshot": {3_000_000, &druidv1alpha1.SnapshotCompactionSpec{}, Full},
		"a threshold of 0 is none":                               {9, &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](0)}, None},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if got := decide(tc.events, tc.spec); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	lease := func(holder, annotation string) *coordinationv1.Lease {
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{Annotation: annotation}}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder},
		}
	}
	for name, tc := range map[string]struct {
		full, delta *coordinationv1.Lease
		want        int64
	}{
		"they are counted since the last full snapshot":           {lease("100", ""), lease("150", ""), 50},
		"they are counted since the last compaction":              {lease("100", `{"revision":140,"succeeded":true}`), lease("150", ""), 10},
		"they are counted since a full snapshot after that":       {lease("145", `{"revision":140,"succeeded":true}`), lease("150", ""), 5},
		"a failed compaction keeps what was merged before":        {lease("100", `{"revision":120,"succeeded":false}`), lease("150", ""), 30},
		"a compaction of data that were put back does not count":  {lease("100", `{"revision":900,"succeeded":true}`), lease("150", ""), 50},
		"members that have told nothing have none":                {lease("", ""), lease("", ""), 0},
		"a delta that is not told yet is none":                    {lease("100", ""), lease("", ""), 0},
		"a full snapshot that is told before its delta has none":  {lease("200", ""), lease("150", ""), 0},
		"an annotation that somebody has damaged does not matter": {lease("100", `{`), lease("150", ""), 50},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if got := events(tc.full, tc.delta); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
