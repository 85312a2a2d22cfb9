package bastion

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden; changes in the seed wake it.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-bastion"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&operationsv1alpha1.Bastion{}, builder.WithPredicates(predicate.NewPredicateFuncs(r.ours), predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.Kind(r.SeedCache, &extensionsv1alpha1.Bastion{}, handler.TypedEnqueueRequestsFromMapFunc(inGarden))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func (r *Reconciler) ours(object client.Object) bool {
	bastion, ok := object.(*operationsv1alpha1.Bastion)
	return ok && bastion.Spec.SeedName != nil && *bastion.Spec.SeedName == r.SeedName
}

// inGarden returns the Bastion in the garden for which the object in the seed was created.
func inGarden(_ context.Context, inSeed *extensionsv1alpha1.Bastion) []reconcile.Request {
	namespace := inSeed.Annotations[annotationNamespace]
	if namespace == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: inSeed.Name}}}
}
