package volume

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func claim(uid types.UID) *corev1.PersistentVolumeClaim {
	class := ClassName
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: uid},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: &class},
	}
}

func TestWanting(t *testing.T) {
	other, now := "other", metav1.Now()
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolumeClaim)
		want   bool
	}{
		"a new claim of the class":      {func(*corev1.PersistentVolumeClaim) {}, true},
		"a claim that has its volume":   {func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv" }, false},
		"a claim of another class":      {func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = &other }, false},
		"a claim without a class":       {func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = nil }, false},
		"a claim that is being deleted": {func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &now }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := claim("1")
			tc.change(c)
			if got := wanting(c); got != tc.want {
				t.Errorf("wanting is %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPersistentVolume(t *testing.T) {
	first, second := persistentVolume(claim("11111111-1"), "/volumes"), persistentVolume(claim("22222222-2"), "/volumes")
	if !strings.HasPrefix(first.Spec.HostPath.Path, "/volumes/ns/data-") {
		t.Errorf("directory is %s", first.Spec.HostPath.Path)
	}
	if first.Spec.HostPath.Path == second.Spec.HostPath.Path || first.Name == second.Name {
		t.Errorf("a new claim of the same name would see old data in %s", first.Spec.HostPath.Path)
	}
}

func TestReclaimable(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolume)
		want   bool
	}{
		"a released volume of ours": {func(*corev1.PersistentVolume) {}, true},
		"a volume in use":           {func(pv *corev1.PersistentVolume) { pv.Status.Phase = corev1.VolumeBound }, false},
		"a volume of somebody else": {func(pv *corev1.PersistentVolume) { pv.Annotations = nil }, false},
		"a volume to be kept": {func(pv *corev1.PersistentVolume) {
			pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}, false},
		"a volume that leads out of ours":  {func(pv *corev1.PersistentVolume) { pv.Spec.HostPath.Path = "/volumes/../etc" }, false},
		"a volume that is all the volumes": {func(pv *corev1.PersistentVolume) { pv.Spec.HostPath.Path = "/volumes" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			pv := persistentVolume(claim("1"), "/volumes")
			pv.Status.Phase = corev1.VolumeReleased
			tc.change(pv)
			if got := reclaimable(pv, "/volumes"); got != tc.want {
				t.Errorf("reclaimable is %v, want %v", got, tc.want)
			}
		})
	}
}
