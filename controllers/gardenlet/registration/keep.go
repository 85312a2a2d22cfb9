package registration

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the registration to the manager of the garden, and a controller that keeps the settings of the gardenlet: whoever replaces
// the Seed removes them.
func (r *Registration) AddToManager(mgr manager.Manager, options workers.Options) error {
	if err := mgr.Add(r); err != nil {
		return err
	}
	name := "gardenlet-" + r.Seed.Name + "-seed-settings"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(predicate.NewPredicateFuncs(r.unsettled))).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// unsettled reports whether the object is the Seed and does not match the settings of the gardenlet.
func (r *Registration) unsettled(object client.Object) bool {
	seed, is := object.(*gardencorev1beta1.Seed)
	if !is || seed.Name != r.Seed.Name {
		return false
	}
	settled := seed.DeepCopy()
	r.settle(settled)
	return !equality.Semantic.DeepEqual(settled, seed)
}

// Reconcile makes the Seed match the settings of the gardenlet.
func (r *Registration) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Reader.Get(ctx, client.ObjectKey{Name: r.Seed.Name}, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	return reconcile.Result{}, r.update(ctx, seed, seed.DeepCopy())
}
