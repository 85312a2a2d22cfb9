package volume

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// provisionedBy makes kube-controller-manager leave the removal of a volume to this provisioner.
	provisionedBy = "pv.kubernetes.io/provisioned-by"
	// wantedFrom is set by kube-controller-manager when a volume is to be made.
	wantedFrom = "volume.kubernetes.io/storage-provisioner"
)

// provisioner makes a volume for every unbound claim of its storage classes.
type provisioner struct {
	client   client.Client
	reader   client.Reader // of storage classes, without a cache
	recorder events.EventRecorder
	places   places
}

func (p *provisioner) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	claim := &corev1.PersistentVolumeClaim{}
	if err := p.client.Get(ctx, req.NamespacedName, claim); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !wanting(claim) {
		return reconcile.Result{}, nil
	}
	if why := unsupported(claim); why != "" {
		p.recorder.Eventf(claim, nil, corev1.EventTypeWarning, "ProvisioningFailed", "Provision", "%s", why)
		return reconcile.Result{}, nil // the fields cannot be changed
	}
	reclaim, err := p.reclaimPolicy(ctx, *claim.Spec.StorageClassName)
	if err != nil {
		return reconcile.Result{}, err
	}
	shown, path := p.places.of(claim)
	if err := p.places.make(path); err != nil {
		return reconcile.Result{}, err
	}
	pv := persistentVolume(claim, shown, reclaim)
	if err := p.client.Create(ctx, pv); apierrors.IsAlreadyExists(err) {
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, fmt.Errorf("create volume %s: %w", pv.Name, err)
	}
	log.FromContext(ctx).Info("Provisioned volume", "volume", pv.Name)
	return reconcile.Result{}, nil
}

// wanting reports whether a claim still needs a volume of this provisioner. kube-controller-manager says so of claims with storage classes
// that users made.
func wanting(claim *corev1.PersistentVolumeClaim) bool {
	class := ptr.Deref(claim.Spec.StorageClassName, "")
	return claim.DeletionTimestamp == nil && claim.Spec.VolumeName == "" && class != "" &&
		(class == ClassName || claim.Annotations[wantedFrom] == Provisioner)
}

// unsupported says what of a claim a directory cannot give; empty if nothing.
func unsupported(claim *corev1.PersistentVolumeClaim) string {
	switch {
	case ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock:
		return "volumes are directories here and have no block devices: use volumeMode Filesystem"
	case claim.Spec.DataSource != nil || claim.Spec.DataSourceRef != nil:
		return "volumes cannot be made from snapshots or other claims here: leave dataSource and dataSourceRef away"
	case claim.Spec.Selector != nil:
		return "a claim with a selector gets no new volume: create a PersistentVolume for it, or leave the selector away"
	}
	return ""
}

// reclaimPolicy is that of a storage class. Those of ClassName are known.
func (p *provisioner) reclaimPolicy(ctx context.Context, class string) (corev1.PersistentVolumeReclaimPolicy, error) {
	if class == ClassName {
		return corev1.PersistentVolumeReclaimDelete, nil
	}
	found := &storagev1.StorageClass{}
	if err := p.reader.Get(ctx, client.ObjectKey{Name: class}, found); err != nil {
		return "", fmt.Errorf("read storage class %s: %w", class, err)
	}
	return ptr.Deref(found.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete), nil
}

// persistentVolume is the volume for a claim. Everything in it is derived from the claim, so that a repeated call gives the same volume.
func persistentVolume(claim *corev1.PersistentVolumeClaim, path string, reclaim corev1.PersistentVolumeReclaimPolicy) *corev1.PersistentVolume {
	kind := corev1.HostPathDirectoryOrCreate
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name(claim), Annotations: map[string]string{provisionedBy: Provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: reclaim,
			StorageClassName:              *claim.Spec.StorageClassName,
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}},
		},
	}
}

// name is the name of the volume for a claim.
func name(claim *corev1.PersistentVolumeClaim) string { return "pvc-" + string(claim.UID) }
