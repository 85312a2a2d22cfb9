package volume

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// provisionedBy makes kube-controller-manager leave the removal of a volume to this provisioner.
const provisionedBy = "pv.kubernetes.io/provisioned-by"

// provisioner makes a volume for every unbound claim of the class.
type provisioner struct {
	client client.Client
	dir    string
}

func (p *provisioner) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	claim := &corev1.PersistentVolumeClaim{}
	if err := p.client.Get(ctx, req.NamespacedName, claim); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !wanting(claim) {
		return reconcile.Result{}, nil
	}
	pv := persistentVolume(claim, p.dir)
	if err := os.MkdirAll(pv.Spec.HostPath.Path, 0o700); err != nil {
		return reconcile.Result{}, fmt.Errorf("make directory of volume: %w", err)
	}
	if err := p.client.Create(ctx, pv); apierrors.IsAlreadyExists(err) {
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, fmt.Errorf("create volume %s: %w", pv.Name, err)
	}
	log.FromContext(ctx).Info("Provisioned volume", "volume", pv.Name)
	return reconcile.Result{}, nil
}

// wanting reports whether a claim still needs a volume of this provisioner.
func wanting(claim *corev1.PersistentVolumeClaim) bool {
	return claim.DeletionTimestamp == nil && claim.Spec.VolumeName == "" &&
		claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == ClassName
}

// persistentVolume is the volume for a claim. Its name and directory are derived from the claim, so that a repeated
// call gives the same volume. The directory name contains part of the claim's UID: a new claim of the same name must
// never see the data of an earlier one.
func persistentVolume(claim *corev1.PersistentVolumeClaim, dir string) *corev1.PersistentVolume {
	kind := corev1.HostPathDirectoryOrCreate
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "pvc-" + string(claim.UID),
			Annotations: map[string]string{provisionedBy: Provisioner},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			StorageClassName:              ClassName,
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: filepath.Join(dir, claim.Namespace, directory(claim)), Type: &kind},
			},
		},
	}
}

func directory(claim *corev1.PersistentVolumeClaim) string {
	return claim.Name + "-" + string(claim.UID[:min(len(claim.UID), 8)])
}
