package main

import (
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	provisioner   = "kind.gardener-up/volumes" // of the storage class and of volumes
	provisionedBy = "pv.kubernetes.io/provisioned-by"
	wantedOf      = "volume.kubernetes.io/storage-provisioner" // set on claims by the controller of volumes
	selectedNode  = "volume.kubernetes.io/selected-node"       // set on claims by the scheduler
)

// waits reports whether a claim waits for one of our volumes on the node.
func waits(claim *corev1.PersistentVolumeClaim, node string) bool {
	return claim.DeletionTimestamp == nil && claim.Spec.VolumeName == "" &&
		claim.Annotations[wantedOf] == provisioner && claim.Annotations[selectedNode] == node
}

// released reports whether one of our volumes on the node must be removed.
func released(pv *corev1.PersistentVolume, node string) bool {
	return pv.Annotations[provisionedBy] == provisioner && pv.Annotations[selectedNode] == node && pv.DeletionTimestamp == nil &&
		pv.Status.Phase == corev1.VolumeReleased && pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete
}

// volume returns a volume for a directory of the node that only the claim uses.
func volume(claim *corev1.PersistentVolumeClaim, node, dir string) *corev1.PersistentVolume {
	name := "pvc-" + string(claim.UID)
	kind := corev1.HostPathDirectory
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: provisioner, selectedNode: node}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: filepath.Join(dir, name), Type: &kind}},
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}}},
		},
	}
	if claim.Spec.StorageClassName != nil {
		pv.Spec.StorageClassName = *claim.Spec.StorageClassName
	}
	return pv
}
