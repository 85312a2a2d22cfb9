// Package managedseed gives the gardenlets of ManagedSeeds what they request their first certificate with: a bootstrap token,
// in a kubeconfig in the shoot. It does so again when such a certificate has expired. It does not deploy gardenlets.
package managedseed

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// Reconciler handles the ManagedSeeds whose shoots are on one seed. All fields are required.
type Reconciler struct {
	Garden client.Client // reads ManagedSeeds and Shoots from a cache
	Reader client.Reader // of the garden, without a cache
	// Connect returns a client of the shoot with this namespace in the seed.
	Connect func(ctx context.Context, namespace string) (client.Client, error)
	// Address is where gardenlets in shoots find the garden.
	Address  bootstrap.Garden
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	SeedName string
	// SyncPeriod is how often a ManagedSeed is looked at. WaitPeriod replaces it while the shoot or the Seed is not there.
	SyncPeriod, WaitPeriod time.Duration
}

// Reconcile handles one ManagedSeed. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	managed := &seedmanagementv1alpha1.ManagedSeed{}
	if err := r.Garden.Get(ctx, request.NamespacedName, managed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if managed.DeletionTimestamp != nil || managed.Spec.Shoot == nil {
		return reconcile.Result{}, nil
	}
	shoot := &gardencorev1beta1.Shoot{} // the cache has the shoots of this seed only
	if err := r.Garden.Get(ctx, client.ObjectKey{Namespace: managed.Namespace, Name: managed.Spec.Shoot.Name}, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if helper.ResponsibleSeed(shoot) != r.SeedName {
		return reconcile.Result{}, nil
	}
	managed = managed.DeepCopy()
	if !reconciled(shoot) {
		finding := conditions.False("Reconciling", fmt.Sprintf("Shoot %q is not reconciled yet.", shoot.Name))
		return reconcile.Result{RequeueAfter: r.WaitPeriod}, r.report(ctx, managed, managed.Status.ObservedGeneration, finding, nil)
	}
	if err := r.access(ctx, managed, shoot); err != nil {
		return reconcile.Result{}, err
	}
	registered, err := r.registered(ctx, managed.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	wait := r.SyncPeriod
	if registered.Status != gardencorev1beta1.ConditionTrue {
		wait = min(wait, r.WaitPeriod)
	}
	done := conditions.True("Reconciled", fmt.Sprintf("Shoot %q is reconciled.", shoot.Name))
	return reconcile.Result{RequeueAfter: wait}, r.report(ctx, managed, managed.Generation, done, &registered)
}

// reconciled reports whether the shoot is as it should be.
func reconciled(shoot *gardencorev1beta1.Shoot) bool {
	last := shoot.Status.LastOperation
	return last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded && shoot.Status.ObservedGeneration == shoot.Generation && shoot.DeletionTimestamp == nil
}

// registered says whether the gardenlet has made its Seed.
func (r *Reconciler) registered(ctx context.Context, seed string) (conditions.Finding, error) {
	err := r.Reader.Get(ctx, client.ObjectKey{Name: seed}, &gardencorev1beta1.Seed{})
	if client.IgnoreNotFound(err) != nil {
		return conditions.Finding{}, fmt.Errorf("read seed %q: %w", seed, err)
	}
	if err != nil {
		return conditions.False("SeedNotFound", fmt.Sprintf("The gardenlet in the shoot has not registered Seed %q yet. This version of Gardener does not deploy it.", seed)), nil
	}
	return conditions.True("SeedRegistered", fmt.Sprintf("Seed %q is registered.", seed)), nil
}

func (r *Reconciler) report(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed, observed int64, shoot conditions.Finding, seed *conditions.Finding) error {
	before, now, status := managed.DeepCopy(), r.Clock.Now(), &managed.Status
	status.ObservedGeneration = observed
	status.Conditions = conditions.Set(status.Conditions, seedmanagementv1alpha1.ManagedSeedShootReconciled, shoot, now)
	if seed != nil {
		status.Conditions = conditions.Set(status.Conditions, seedmanagementv1alpha1.SeedRegistered, *seed, now)
	}
	return patch.Status(ctx, r.Garden, managed, before)
}
