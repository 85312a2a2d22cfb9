package controllerinstallation

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-controllerinstallation"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.ControllerInstallation{}, builder.WithPredicates(
			predicate.NewPredicateFuncs(func(object client.Object) bool {
				installation, ok := object.(*gardencorev1beta1.ControllerInstallation)
				return ok && r.ours(installation)
			}),
			// Changes of the status wake it, too: it may have compared with an older status than the one it wrote.
			predicate.ResourceVersionChangedPredicate{},
		)).
		Watches(&gardencorev1beta1.ControllerDeployment{}, handler.EnqueueRequestsFromMapFunc(r.users)).
		Watches(&gardencorev1beta1.ControllerRegistration{}, handler.EnqueueRequestsFromMapFunc(r.registered), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&gardencorev1beta1.Seed{}, handler.EnqueueRequestsFromMapFunc(r.all), builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}, identityChanged()))).
		WatchesRawSource(source.Kind(r.SeedCache, &resourcesv1alpha1.ManagedResource{}, handler.TypedEnqueueRequestsFromMapFunc(installationOf))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// all finds the installations of the seed: charts know what the seed is like.
func (r *Reconciler) all(ctx context.Context, seed client.Object) []reconcile.Request {
	if seed.GetName() != r.SeedName {
		return nil
	}
	return r.those(ctx, func(*gardencorev1beta1.ControllerInstallation) bool { return true })
}

// identityChanged lets through the Seed that has got its identity.
func identityChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, isSeed := e.ObjectOld.(*gardencorev1beta1.Seed)
		after, alsoSeed := e.ObjectNew.(*gardencorev1beta1.Seed)
		return isSeed && alsoSeed && (before.Status.ClusterIdentity == nil) != (after.Status.ClusterIdentity == nil)
	}}
}

// installationOf finds the installation that a ManagedResource belongs to.
func installationOf(_ context.Context, managed *resourcesv1alpha1.ManagedResource) []reconcile.Request {
	name := managed.Labels[constants.LabelControllerInstallationName]
	if name == "" || managed.Namespace != constants.GardenNamespace {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: name}}}
}

// users finds the installations that refer to the deployment.
func (r *Reconciler) users(ctx context.Context, deployment client.Object) []reconcile.Request {
	return r.those(ctx, func(installation *gardencorev1beta1.ControllerInstallation) bool {
		ref := installation.Spec.DeploymentRef
		return ref != nil && ref.Name == deployment.GetName()
	})
}

// registered finds the installations of the registration.
func (r *Reconciler) registered(ctx context.Context, registration client.Object) []reconcile.Request {
	return r.those(ctx, func(installation *gardencorev1beta1.ControllerInstallation) bool {
		return installation.Spec.RegistrationRef.Name == registration.GetName()
	})
}

func (r *Reconciler) those(ctx context.Context, match func(*gardencorev1beta1.ControllerInstallation) bool) []reconcile.Request {
	list := &gardencorev1beta1.ControllerInstallationList{}
	if err := r.Garden.List(ctx, list); err != nil {
		return nil // the initial list of installations wakes all of them
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if installation := &list.Items[i]; r.ours(installation) && match(installation) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(installation)})
		}
	}
	return requests
}
