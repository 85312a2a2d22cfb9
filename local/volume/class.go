// Package volume gives each PersistentVolumeClaim of an embedded seed, or of a shoot on one, a directory of the host. It is a dynamic provisioner
// for one storage class and those that users derive from it, without snapshots, resizing or quota.
package volume

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Provisioner is the name in storage classes and volumes.
	Provisioner = "local.gardener.cloud/hostpath"
	// ClassName is the name of the storage class.
	ClassName = "default"
)

// StorageClass is the default class of seeds and Shoots of the provider. Volumes are made at once, because every
// node reaches every directory and there is no need to wait for a consumer.
func StorageClass() *storagev1.StorageClass {
	reclaim, binding := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingImmediate
	return &storagev1.StorageClass{
		TypeMeta: metav1.TypeMeta{APIVersion: storagev1.SchemeGroupVersion.String(), Kind: "StorageClass"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        ClassName,
			Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner:       Provisioner,
		ReclaimPolicy:     &reclaim,
		VolumeBindingMode: &binding,
	}
}
