package activity

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestCaused(t *testing.T) {
	now := metav1.Now()
	base := metav1.ObjectMeta{ResourceVersion: "1", Generation: 1, Annotations: map[string]string{"a": "b"}}
	for name, tc := range map[string]struct {
		change func(*metav1.ObjectMeta)
		want   bool
	}{
		"GCM-14 a new specification is activity":       {func(m *metav1.ObjectMeta) { m.Generation = 2 }, true},
		"GCM-14 so is an annotation":                   {func(m *metav1.ObjectMeta) { m.Annotations = map[string]string{"a": "c"} }, true},
		"GCM-14 and a deletion that waits":             {func(m *metav1.ObjectMeta) { m.DeletionTimestamp = &now }, true},
		"GCM-14 what controllers tell in a status not": {func(*metav1.ObjectMeta) {}, false},
		"GCM-14 kinds without status always count":     {func(m *metav1.ObjectMeta) { m.Generation = 0 }, true},
		"GCM-14 the same object again does not":        {func(m *metav1.ObjectMeta) { m.ResourceVersion = "1"; m.Generation = 2 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := &gardencorev1beta1.Shoot{ObjectMeta: base}, &gardencorev1beta1.Shoot{ObjectMeta: *base.DeepCopy()}
			after.ResourceVersion = "2"
			tc.change(&after.ObjectMeta)
			if got := caused(before, after); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
