package volume

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// reclaimer removes volumes whose claim is gone, with their directories.
type reclaimer struct {
	client client.Client
	places places
}

func (r *reclaimer) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pv := &corev1.PersistentVolume{}
	if err := r.client.Get(ctx, req.NamespacedName, pv); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	path, ok := r.reclaimable(pv)
	if !ok {
		return reconcile.Result{}, nil
	}
	if err := r.places.remove(ctx, path); err != nil {
		return reconcile.Result{}, fmt.Errorf("volume %s: %w", pv.Name, err)
	}
	if err := r.client.Delete(ctx, pv, client.Preconditions{UID: &pv.UID}); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("delete volume %s: %w", pv.Name, err)
	}
	log.FromContext(ctx).Info("Reclaimed volume", "volume", pv.Name)
	return reconcile.Result{}, nil
}

// reclaimable returns the directory of a volume that belongs to this provisioner, is released, and is in its directory. In a shoot anybody
// who administers it can write volumes: one that names the directory of another one is not removed.
func (r *reclaimer) reclaimable(pv *corev1.PersistentVolume) (path string, ok bool) {
	if pv.Annotations[provisionedBy] != Provisioner || pv.Status.Phase != corev1.VolumeReleased ||
		pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || pv.Spec.ClaimRef == nil || pv.Spec.HostPath == nil {
		return "", false
	}
	path, ok = r.places.find(pv.Spec.HostPath.Path)
	return path, ok && (!r.places.shoot || path == pv.Name)
}
