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
		failed bool
		want   Action
	}{
		"few events are left alone":                              {9, own, false, None},
		"events from the threshold on are merged":                {10, own, false, Merge},
		"snapshots that could not be merged are replaced":        {10, own, true, Full},
		"few events are left alone after a failure, too":         {9, own, true, None},
		"a high threshold is below that of a full snapshot":      {5_000_000, &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](5_000_000)}, false, Merge},
		"very many events take a full snapshot":                  {30, own, false, Full},
		"without thresholds a million events are merged":         {1_000_000, &druidv1alpha1.SnapshotCompactionSpec{}, false, Merge},
		"without thresholds fewer are left alone":                {999_999, &druidv1alpha1.SnapshotCompactionSpec{}, false, None},
		"without thresholds three millions take a full snapshot": {3_000_000, &druidv1alpha1.SnapshotCompactionSpec{}, false, Full},
		"a threshold of 0 is none":                               {9, &druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](0)}, false, None},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if got := decide(tc.events, tc.spec, tc.failed); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFailed(t *testing.T) {
	for name, tc := range map[string]struct {
		full, annotation string
		want             bool
	}{
		"ETC-10 snapshots that could not be merged are still the newest":     {"100", `{"succeeded":false,"failed":150}`, true},
		"ETC-10 a full snapshot has been taken after the failure":            {"150", `{"succeeded":false,"failed":150}`, false},
		"ETC-10 a merge has succeeded, and there was no failure before it":   {"100", `{"succeeded":true,"revision":150}`, false},
		"ETC-10 nothing was merged yet, so that there was no failure either": {"100", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			lease := &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{Annotation: tc.annotation}}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &tc.full},
			}
			if got := failed(lease); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
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
