// Package lifecycle detects gardenlets that have stopped. When the lease of a seed is no longer renewed, the conditions
// of the seed become Unknown. After a while, the conditions of its shoots become Unknown, too. A gardenlet that starts
// again corrects both. If its certificate has expired, its ManagedSeed is reconciled.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const (
	leaseNamespace = "gardener-system-seed-lease"
	reasonSeed     = "SeedStatusUnknown"
	reasonShoot    = "StatusUnknown"
	messageSeed    = "Gardenlet stopped posting seed status."
	messageShoot   = "Gardenlet stopped sending heartbeats."
)

// Reconciler handles Seeds. All fields are required.
type Reconciler struct {
	Client client.Client
	Reader client.Reader // uncached: leases change every two seconds
	Clock  clock.PassiveClock

	SyncPeriod         time.Duration // interval between two checks of a seed
	MonitorPeriod      time.Duration // maximum age of a lease
	ShootMonitorPeriod time.Duration // additional time until the conditions of the shoots become Unknown
}

// Reconcile checks the lease of one Seed.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Client.Get(ctx, request.NamespacedName, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	ready := conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedGardenletReady)
	if ready == nil {
		return reconcile.Result{RequeueAfter: r.SyncPeriod}, r.bringBack(ctx, seed) // no gardenlet has come so far that it set a condition
	}
	renewed, err := r.lastRenewal(ctx, seed.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if r.Clock.Since(renewed) <= r.MonitorPeriod {
		return reconcile.Result{RequeueAfter: r.SyncPeriod}, nil
	}
	unknown := conditions.Unknown(reasonSeed, messageSeed)
	if err := seedstatus.SetCondition(ctx, r.Client, seed, gardencorev1beta1.SeedGardenletReady, unknown, r.Clock.Now()); err != nil {
		return reconcile.Result{}, err
	}
	err = r.bringBack(ctx, seed)
	if r.Clock.Since(renewed) > r.MonitorPeriod+r.ShootMonitorPeriod {
		err = errors.Join(err, r.forgetShoots(ctx, seed.Name))
	}
	return reconcile.Result{RequeueAfter: r.SyncPeriod}, err
}

// lastRenewal returns the zero time if there is no lease.
func (r *Reconciler) lastRenewal(ctx context.Context, seed string) (time.Time, error) {
	lease := &coordinationv1.Lease{}
	if err := r.Reader.Get(ctx, types.NamespacedName{Namespace: leaseNamespace, Name: seed}, lease); client.IgnoreNotFound(err) != nil {
		return time.Time{}, fmt.Errorf("read lease of seed %q: %w", seed, err)
	}
	if lease.Spec.RenewTime == nil {
		return time.Time{}, nil
	}
	return lease.Spec.RenewTime.Time, nil
}

func (r *Reconciler) forgetShoots(ctx context.Context, seed string) error {
	shoots := &gardencorev1beta1.ShootList{}
	if err := r.Client.List(ctx, shoots); err != nil {
		return fmt.Errorf("list shoots: %w", err)
	}
	var errs []error
	for i := range shoots.Items {
		before := &shoots.Items[i]
		if before.Status.SeedName == nil || *before.Status.SeedName != seed {
			continue
		}
		shoot := before.DeepCopy()
		shoot.Status.Conditions = r.unknown(shoot.Status.Conditions)
		shoot.Status.Constraints = r.unknown(shoot.Status.Constraints)
		errs = append(errs, patch.Status(ctx, r.Client, shoot, before))
	}
	return errors.Join(errs...)
}

func (r *Reconciler) unknown(all []gardencorev1beta1.Condition) []gardencorev1beta1.Condition {
	for _, condition := range all {
		all = conditions.Set(all, condition.Type, conditions.Unknown(reasonShoot, messageShoot), r.Clock.Now())
	}
	return all
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-seed-lifecycle"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
