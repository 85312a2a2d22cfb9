// Package bastion deletes Bastions whose heartbeat has stopped, that are too old, or whose Shoot is gone. The gardenlet
// then cleans them up.
package bastion

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler handles Bastions. All fields are required.
type Reconciler struct {
	Client      client.Client // reads from a cache
	Clock       clock.PassiveClock
	MaxLifetime time.Duration
}

// Reconcile deletes one Bastion if it is due, or returns when it will be due.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	bastion := &operationsv1alpha1.Bastion{}
	if err := r.Client.Get(ctx, request.NamespacedName, bastion); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if bastion.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	shoot := &gardencorev1beta1.Shoot{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: bastion.Namespace, Name: bastion.Spec.ShootRef.Name}, shoot)
	if apierrors.IsNotFound(err) {
		shoot, err = nil, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("read shoot of bastion: %w", err)
	}
	reason, wait := Judge(bastion, shoot, r.MaxLifetime, r.Clock.Now())
	if reason == "" {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	log.FromContext(ctx).Info("Bastion is deleted", "reason", reason)
	unchanged := client.Preconditions{UID: &bastion.UID, ResourceVersion: &bastion.ResourceVersion}
	if err := r.Client.Delete(ctx, bastion, unchanged); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("delete bastion: %w", err)
	}
	return reconcile.Result{}, nil
}

// Judge returns the reason why a Bastion must be deleted, or how long it may stay. The Shoot is nil if it does not
// exist.
func Judge(bastion *operationsv1alpha1.Bastion, shoot *gardencorev1beta1.Shoot, maxLifetime time.Duration, now time.Time) (reason string, wait time.Duration) {
	switch {
	case shoot == nil:
		return "its shoot is gone", 0
	case shoot.DeletionTimestamp != nil:
		return "its shoot is being deleted", 0
	case bastion.Spec.SeedName != nil && *bastion.Spec.SeedName != ptr.Deref(shoot.Spec.SeedName, ""):
		return "its shoot has moved to another seed", 0
	}
	end := bastion.CreationTimestamp.Add(maxLifetime)
	if !now.Before(end) {
		return "it is too old", 0
	}
	if expiration := bastion.Status.ExpirationTimestamp; expiration != nil {
		if !now.Before(expiration.Time) {
			return "nobody has kept it alive", 0
		}
		if expiration.Time.Before(end) {
			end = expiration.Time
		}
	}
	return "", end.Sub(now)
}

// AddToManager adds the controller to the manager of the garden. Shoots that go or move wake their Bastions.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-bastion"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&operationsv1alpha1.Bastion{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: expirationChanged})).
		Watches(&gardencorev1beta1.Shoot{}, handler.EnqueueRequestsFromMapFunc(r.bastionsOf), builder.WithPredicates(predicate.Funcs{
			CreateFunc: func(event.CreateEvent) bool { return false },
			UpdateFunc: leaves,
		})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func expirationChanged(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*operationsv1alpha1.Bastion), e.ObjectNew.(*operationsv1alpha1.Bastion)
	return !before.Status.ExpirationTimestamp.Equal(after.Status.ExpirationTimestamp)
}

func leaves(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Shoot), e.ObjectNew.(*gardencorev1beta1.Shoot)
	return (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) || !ptr.Equal(before.Spec.SeedName, after.Spec.SeedName)
}

func (r *Reconciler) bastionsOf(ctx context.Context, shoot client.Object) []reconcile.Request {
	bastions := &operationsv1alpha1.BastionList{}
	if err := r.Client.List(ctx, bastions, client.InNamespace(shoot.GetNamespace())); err != nil {
		return nil // their lifetime ends them
	}
	var requests []reconcile.Request
	for i := range bastions.Items {
		if bastions.Items[i].Spec.ShootRef.Name == shoot.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&bastions.Items[i])})
		}
	}
	return requests
}
