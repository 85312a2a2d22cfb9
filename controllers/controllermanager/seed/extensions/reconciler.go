package extensions

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler handles Seeds. All fields are required.
type Reconciler struct {
	Client client.Client
	Clock  clock.PassiveClock
}

// Reconcile checks the installations of one Seed.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Client.Get(ctx, request.NamespacedName, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	installations := &gardencorev1beta1.ControllerInstallationList{}
	if err := r.Client.List(ctx, installations); err != nil {
		return reconcile.Result{}, fmt.Errorf("list controller installations: %w", err)
	}
	finding := Check(seed.Name, installations.Items)
	return reconcile.Result{}, seedstatus.SetCondition(ctx, r.Client, seed, gardencorev1beta1.SeedExtensionsReady, finding, r.Clock.Now())
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-seed-extensions"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(seedstatus.SpecOrCondition(gardencorev1beta1.SeedExtensionsReady))).
		Watches(&gardencorev1beta1.ControllerInstallation{}, handler.EnqueueRequestsFromMapFunc(seedOf)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func seedOf(_ context.Context, object client.Object) []reconcile.Request {
	installation, ok := object.(*gardencorev1beta1.ControllerInstallation)
	if !ok || installation.Spec.SeedRef == nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: installation.Spec.SeedRef.Name}}}
}
