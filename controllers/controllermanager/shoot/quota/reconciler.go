// Package quota deletes Shoots whose lifetime is limited by the Quota of their credentials. An annotation holds the
// expiration time. Users may postpone it as far as the Quota allows, which admission enforces.
package quota

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const day = 24 * time.Hour

// Reconciler handles Shoots. All fields are required.
type Reconciler struct {
	Client     client.Client // reads from a cache
	Clock      clock.PassiveClock
	SyncPeriod time.Duration // a limited Shoot is checked at least this often
}

// Reconcile writes the expiration time of one Shoot and deletes the Shoot when that time has come.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Client.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if shoot.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	days, err := r.lifetimeDays(ctx, shoot)
	if err != nil {
		return reconcile.Result{}, err
	}
	if days == nil {
		return reconcile.Result{}, patch.Metadata(ctx, r.Client, shoot, func() { delete(shoot.Annotations, constants.ShootExpirationTimestamp) })
	}
	end, known := End(shoot, *days)
	if !known {
		text := end.UTC().Format(time.RFC3339)
		err := patch.Metadata(ctx, r.Client, shoot, func() {
			metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, constants.ShootExpirationTimestamp, text)
		})
		if err != nil {
			return reconcile.Result{}, err
		}
	}
	if wait := end.Sub(r.Clock.Now()); wait > 0 {
		return reconcile.Result{RequeueAfter: min(wait, r.SyncPeriod)}, nil
	}
	log.FromContext(ctx).Info("Shoot is deleted, its quota ends its life", "expiration", end)
	return reconcile.Result{}, r.delete(ctx, shoot)
}

// End returns when a Shoot expires, and whether its annotation already says so. An unreadable annotation counts as
// missing.
func End(shoot *gardencorev1beta1.Shoot, days int32) (end time.Time, known bool) {
	if end, err := time.Parse(time.RFC3339, shoot.Annotations[constants.ShootExpirationTimestamp]); err == nil {
		return end, true
	}
	return shoot.CreationTimestamp.Add(time.Duration(days) * day), false
}

// delete also sets the confirmation of the deletion for the user. If the Shoot has changed meanwhile, the controller
// decides again.
func (r *Reconciler) delete(ctx context.Context, shoot *gardencorev1beta1.Shoot) error {
	err := patch.Metadata(ctx, r.Client, shoot, func() {
		metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, constants.ConfirmationDeletion, "true")
	})
	if err != nil {
		return err
	}
	unchanged := client.Preconditions{UID: &shoot.UID, ResourceVersion: &shoot.ResourceVersion}
	if err := r.Client.Delete(ctx, shoot, unchanged); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete shoot: %w", err)
	}
	return nil
}
