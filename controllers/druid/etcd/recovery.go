package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/place"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// recoverAnnotation asks for an etcd whose majority is lost to begin again with one member: from its backups, or empty without a
// store. The data of all members are deleted. Only an operator can know that the lost members do not come back. Its value is the
// phase of the recovery, so that a restart continues it.
const (
	recoverAnnotation = "druid.gardener.cloud/recover-from-quorum-loss"
	// phaseRestoring means that all data are deleted, and one member begins.
	phaseRestoring = "restoring"
	// recoveryPause is the time between two looks. Nothing watches pods and claims.
	recoveryPause = 2 * time.Second
)

// recover does the next step of a recovery.
func (r *Reconciler) recover(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (reconcile.Result, error) {
	if err := r.checkStore(ctx, etcd); err != nil {
		_, saving := r.saveStatus(ctx, etcd, set, &outcome{err: err})
		if errors.Is(err, place.ErrRefused) {
			return reconcile.Result{RequeueAfter: refusedRetry}, saving
		}
		return reconcile.Result{}, errors.Join(err, saving)
	}
	if etcd.Annotations[recoverAnnotation] == phaseRestoring {
		return r.restoreOne(ctx, etcd, set)
	}
	refused, err := r.refusal(ctx, etcd, set)
	if err != nil {
		return reconcile.Result{}, err
	}
	if refused != "" {
		log.FromContext(ctx).Info("A recovery from the loss of a majority is refused", "reason", refused)
		return r.setRecovery(ctx, etcd, "", false)
	}
	log.FromContext(ctx).Info("The data of all members are deleted, because a majority is lost")
	if _, err := r.scale(ctx, etcd, set, 0); err != nil {
		return reconcile.Result{}, err
	}
	if gone, err := r.removeData(ctx, etcd); err != nil || !gone {
		return reconcile.Result{RequeueAfter: recoveryPause}, err
	}
	return r.setRecovery(ctx, etcd, phaseRestoring, false)
}

// refusal tells why the data may not be deleted; empty if they may.
func (r *Reconciler) refusal(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (string, error) {
	switch seen := observe(etcd, set); {
	case etcd.Spec.Replicas < 2:
		return "a single member recovers by itself", nil
	case set == nil:
		return "the etcd has no members yet", nil
	case seen.wanted > 0 && seen.quorate(): // 0 while a recovery stops them
		return fmt.Sprintf("%d of %d members are ready", seen.ready, seen.wanted), nil
	case etcd.Spec.Backup.Store == nil:
		return "", nil
	case !r.backups(etcd).on():
		return "its store cannot be used here", nil
	}
	told, err := r.reports(ctx, etcd)
	if err == nil && told.renewed(fullLeaseName(etcd)).IsZero() {
		return "no backup has been reported", nil
	}
	return "", err
}

// removeData deletes the volumes of all members, and reports whether pods and volumes are gone.
func (r *Reconciler) removeData(ctx context.Context, etcd *druidv1alpha1.Etcd) (bool, error) {
	its := []client.ListOption{client.InNamespace(etcd.Namespace), client.MatchingLabels(selectorLabels(etcd))}
	pods := &corev1.PodList{}
	if err := r.Reader.List(ctx, pods, its...); err != nil {
		return false, fmt.Errorf("list members: %w", err)
	}
	if len(pods.Items) > 0 {
		return false, nil
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := r.Reader.List(ctx, claims, its...); err != nil {
		return false, fmt.Errorf("list volume claims: %w", err)
	}
	for i := range claims.Items {
		if err := r.remove(ctx, &claims.Items[i]); err != nil {
			return false, err
		}
	}
	return len(claims.Items) == 0, nil
}

// restoreOne runs one member until it is ready. The others are added as if the etcd was scaled up.
func (r *Reconciler) restoreOne(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (reconcile.Result, error) {
	set, err := r.scale(ctx, etcd, set, 1)
	if err != nil {
		return reconcile.Result{}, err
	}
	if seen := observe(etcd, set); seen.wanted != 1 || !seen.allReady() || !seen.updated {
		return reconcile.Result{RequeueAfter: recoveryPause}, nil
	}
	return r.setRecovery(ctx, etcd, "", true)
}

// scale applies the StatefulSet as that of an etcd with this number of members.
func (r *Reconciler) scale(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet, members int32) (*appsv1.StatefulSet, error) {
	smaller := etcd.DeepCopy()
	smaller.Spec.Replicas = members
	return r.applySet(ctx, smaller, set)
}

// setRecovery notes the phase, or ends the recovery. The etcd is then applied as specified, if wanted.
func (r *Reconciler) setRecovery(ctx context.Context, etcd *druidv1alpha1.Etcd, phase string, apply bool) (reconcile.Result, error) {
	return reconcile.Result{}, patch.Metadata(ctx, r.Client, etcd, func() {
		delete(etcd.Annotations, recoverAnnotation)
		if phase != "" {
			etcd.Annotations[recoverAnnotation] = phase
		}
		if apply {
			etcd.Annotations[operationAnnotation] = operationReconcile
		}
	})
}
