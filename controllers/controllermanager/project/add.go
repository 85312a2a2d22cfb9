package project

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Besides Projects it watches the metadata of namespaces
// and the deletion of Shoots.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-project"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Project{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(projectOfNamespace)).
		Watches(&gardencorev1beta1.Shoot{}, handler.EnqueueRequestsFromMapFunc(r.terminatingProjectOf), builder.WithPredicates(deletionOnly())).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func projectOfNamespace(_ context.Context, namespace client.Object) []reconcile.Request {
	name := namespace.GetLabels()[labelProjectName]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: name}}}
}

// terminatingProjectOf finds the Project that may be waiting for the deletion of a shoot.
func (r *Reconciler) terminatingProjectOf(ctx context.Context, shoot client.Object) []reconcile.Request {
	projects := &gardencorev1beta1.ProjectList{}
	if err := r.Client.List(ctx, projects); err != nil {
		return nil // the periodic retry finds the Project
	}
	for i := range projects.Items {
		project := &projects.Items[i]
		if project.DeletionTimestamp != nil && NamespaceName(project) == shoot.GetNamespace() {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(project)}}
		}
	}
	return nil
}

func deletionOnly() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}
