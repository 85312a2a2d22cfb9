package stale

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/internal/projects"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. A project is checked when an object that counts as its use is
// created or deleted, and when its time of last activity changes. A shoot also triggers checks of the projects in other namespaces
// whose credentials it uses.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-project-stale"
	comings := predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }} // and goings
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Project{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: active})).
		WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(projectOfNamespace)).
		Watches(&gardencorev1beta1.Shoot{}, handler.EnqueueRequestsFromMapFunc(r.lendersOfShoot), builder.WithPredicates(predicate.Funcs{UpdateFunc: bindingChanged})).
		Watches(&gardencorev1beta1.Plant{}, handler.EnqueueRequestsFromMapFunc(r.own), builder.WithPredicates(comings)).
		Watches(&gardencorev1beta1.BackupEntry{}, handler.EnqueueRequestsFromMapFunc(r.own), builder.WithPredicates(comings)).
		Watches(&gardencorev1beta1.SecretBinding{}, handler.EnqueueRequestsFromMapFunc(r.lenders)).
		Watches(&securityv1alpha1.CredentialsBinding{}, handler.EnqueueRequestsFromMapFunc(r.lenders)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// active passes events that may change a decision: activity, the name of the namespace, and stale timestamps that
// another writer changed.
func active(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Project), e.ObjectNew.(*gardencorev1beta1.Project)
	return before.Generation != after.Generation || !before.Status.LastActivityTimestamp.Equal(after.Status.LastActivityTimestamp) ||
		!before.Status.StaleSinceTimestamp.Equal(after.Status.StaleSinceTimestamp) ||
		!before.Status.StaleAutoDeleteTimestamp.Equal(after.Status.StaleAutoDeleteTimestamp)
}

func bindingChanged(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Shoot), e.ObjectNew.(*gardencorev1beta1.Shoot)
	return !ptr.Equal(before.Spec.SecretBindingName, after.Spec.SecretBindingName) ||
		!ptr.Equal(before.Spec.CredentialsBindingName, after.Spec.CredentialsBindingName)
}

func projectOfNamespace(_ context.Context, namespace client.Object) []reconcile.Request {
	name := namespace.GetLabels()[constants.ProjectName]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: name}}}
}

// lendersOfShoot returns the Projects whose credentials and Quotas a Shoot uses, including its own Project.
func (r *Reconciler) lendersOfShoot(ctx context.Context, object client.Object) []reconcile.Request {
	shoot := object.(*gardencorev1beta1.Shoot)
	var binding client.Object
	key := client.ObjectKey{Namespace: shoot.Namespace}
	switch {
	case shoot.Spec.CredentialsBindingName != nil:
		binding, key.Name = &securityv1alpha1.CredentialsBinding{}, *shoot.Spec.CredentialsBindingName
	case shoot.Spec.SecretBindingName != nil:
		binding, key.Name = &gardencorev1beta1.SecretBinding{}, *shoot.Spec.SecretBindingName
	}
	requests := r.requests(ctx, shoot.Namespace)
	if binding != nil && r.Client.Get(ctx, key, binding) == nil { // a binding that is created later wakes them itself
		requests = append(requests, r.lenders(ctx, binding)...)
	}
	return requests
}

// own returns the Project of the namespace of an object.
func (r *Reconciler) own(ctx context.Context, object client.Object) []reconcile.Request {
	return r.requests(ctx, object.GetNamespace())
}

// lenders returns the Projects that a binding refers to.
func (r *Reconciler) lenders(ctx context.Context, binding client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for namespace := range targets(binding) {
		requests = append(requests, r.requests(ctx, namespace)...)
	}
	return requests
}

// requests makes a request per Project. A Project that cannot be found is skipped: its own events wake it later.
func (r *Reconciler) requests(ctx context.Context, namespace string) []reconcile.Request {
	project, err := projects.OfNamespace(ctx, r.Client, namespace)
	if project == nil || err != nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(project)}}
}
