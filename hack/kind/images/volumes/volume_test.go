package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func claim(change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	class := "standard"
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: "u", Annotations: map[string]string{wantedOf: provisioner, selectedNode: "a"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if change != nil {
		change(c)
	}
	return c
}

func TestWaits(t *testing.T) {
	now := metav1.Now()
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolumeClaim)
		want   bool
	}{
		"a claim scheduled to the node waits":         {want: true},
		"a claim of another node does not":            {change: func(c *corev1.PersistentVolumeClaim) { c.Annotations[selectedNode] = "b" }},
		"a claim of another provisioner does not":     {change: func(c *corev1.PersistentVolumeClaim) { c.Annotations[wantedOf] = "x" }},
		"a bound claim does not":                      {change: func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv" }},
		"a claim that is being deleted does not wait": {change: func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &now }},
	} {
		t.Run(name, func(t *testing.T) {
			if got := waits(claim(tc.change), "a"); got != tc.want {
				t.Errorf("waits %t, want %t", got, tc.want)
			}
		})
	}
}

func TestReleased(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolume)
		want   bool
	}{
		"a released volume is removed":          {change: func(pv *corev1.PersistentVolume) {}, want: true},
		"a bound volume stays":                  {change: func(pv *corev1.PersistentVolume) { pv.Status.Phase = corev1.VolumeBound }},
		"a volume of another node stays":        {change: func(pv *corev1.PersistentVolume) { pv.Annotations[selectedNode] = "b" }},
		"a volume of another provisioner stays": {change: func(pv *corev1.PersistentVolume) { delete(pv.Annotations, provisionedBy) }},
		"a volume with policy Retain stays": {change: func(pv *corev1.PersistentVolume) {
			pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}},
	} {
		t.Run(name, func(t *testing.T) {
			pv := volume(claim(nil), "a", "/d")
			pv.Status.Phase = corev1.VolumeReleased
			tc.change(pv)
			if got := released(pv, "a"); got != tc.want {
				t.Errorf("released %t, want %t", got, tc.want)
			}
		})
	}
}

func TestVolumeIsForItsClaimOnly(t *testing.T) {
	pv := volume(claim(nil), "a", "/d")
	want := &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "ns", Name: "data", UID: "u"}
	if diff := cmp.Diff(want, pv.Spec.ClaimRef); diff != "" {
		t.Errorf("claim (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("/d/pvc-u", pv.Spec.HostPath.Path); diff != "" {
		t.Errorf("directory (-want +got):\n%s", diff)
	}
	if pv.Spec.StorageClassName != "standard" || pv.Spec.Capacity.Storage().String() != "1Gi" {
		t.Errorf("class %q and size %s, want standard and 1Gi", pv.Spec.StorageClassName, pv.Spec.Capacity.Storage())
	}
}
