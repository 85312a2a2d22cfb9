package garden

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the runtime cluster. It also acts when its Secrets change. Of Secrets it
// watches metadata only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	if err := r.Host.Validate(); err != nil {
		return fmt.Errorf("describe the host of the Garden: %w", err)
	}
	const name = "operator-garden"
	build := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&operatorv1alpha1.Garden{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: changed})).
		WatchesMetadata(&corev1.Secret{},
			handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request { return r.own(ctx) }),
			builder.WithPredicates(predicate.NewPredicateFuncs(ours))).
		WithOptions(options.Controller())
	if r.Host.Deploys() {
		sources, err := deployed(mgr, r.own)
		if err != nil {
			return fmt.Errorf("watch what the operator deploys: %w", err)
		}
		for _, one := range sources {
			build = build.WatchesRawSource(one)
		}
	}
	if err := build.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// own are the Gardens that the host runs.
func (r *Reconciler) own(ctx context.Context) (requests []reconcile.Request) {
	if r.Host.Name != "" {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: r.Host.Name}}}
	}
	gardens := &operatorv1alpha1.GardenList{}
	if err := r.Runtime.List(ctx, gardens); err != nil { // the next reconciliation restores the Secret, too
		log.FromContext(ctx).Error(err, "List Gardens")
	}
	for i := range gardens.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&gardens.Items[i])})
	}
	return requests
}

func changed(e event.UpdateEvent) bool {
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
		(e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil) ||
		!maps.Equal(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations())
}

func ours(secret client.Object) bool {
	return secret.GetNamespace() == constants.GardenNamespace && (access.Owns(secret) || observability.Owns(secret))
}
