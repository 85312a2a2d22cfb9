package volume

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// reclaimer removes volumes whose claim is gone, with their directories.
type reclaimer struct {
	client client.Client
	dir    string
}

func (r *reclaimer) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pv := &corev1.PersistentVolume{}
	if err := r.client.Get(ctx, req.NamespacedName, pv); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !reclaimable(pv, r.dir) {
		return reconcile.Result{}, nil
	}
	path := pv.Spec.HostPath.Path
	if err := os.RemoveAll(path); err != nil {
		return reconcile.Result{}, fmt.Errorf("remove directory of volume %s: %w", pv.Name, err)
	}
	_ = os.Remove(filepath.Dir(path)) // succeeds for the last volume of a namespace only
	if err := r.client.Delete(ctx, pv); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("delete volume %s: %w", pv.Name, err)
	}
	log.FromContext(ctx).Info("Reclaimed volume", "volume", pv.Name)
	return reconcile.Result{}, nil
}

// reclaimable reports whether a volume belongs to this provisioner, is released, and is in its directory.
func reclaimable(pv *corev1.PersistentVolume, dir string) bool {
	return pv.Annotations[provisionedBy] == Provisioner && pv.Status.Phase == corev1.VolumeReleased &&
		pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete && pv.Spec.ClaimRef != nil &&
		pv.Spec.HostPath != nil && strings.HasPrefix(filepath.Clean(pv.Spec.HostPath.Path), filepath.Clean(dir)+string(filepath.Separator))
}
