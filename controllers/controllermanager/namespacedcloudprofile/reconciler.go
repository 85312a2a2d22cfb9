// Package namespacedcloudprofile writes the status of NamespacedCloudProfiles: the merged content of the profile and
// its parent. Admission checks whether a profile fits its parent; this controller does not.
package namespacedcloudprofile

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler merges profiles into their parents. Client is the client of the garden.
type Reconciler struct {
	Client client.Client
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-namespacedcloudprofile"
	specChanged := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.NamespacedCloudProfile{}, specChanged).
		Watches(&gardencorev1beta1.CloudProfile{}, handler.EnqueueRequestsFromMapFunc(r.children), specChanged).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// Reconcile writes the status of one profile. If the parent does not exist, its creation wakes the profile.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	profile := &gardencorev1beta1.NamespacedCloudProfile{}
	if err := r.Client.Get(ctx, request.NamespacedName, profile); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	parent := &gardencorev1beta1.CloudProfile{}
	if err := r.Client.Get(ctx, client.ObjectKey{Name: profile.Spec.Parent.Name}, parent); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	status := gardencorev1beta1.NamespacedCloudProfileStatus{
		CloudProfileSpec:   *helper.MergeCloudProfile(&parent.Spec, &profile.Spec),
		ObservedGeneration: profile.Generation,
	}
	if apiequality.Semantic.DeepEqual(status, profile.Status) {
		return reconcile.Result{}, nil
	}
	profile = profile.DeepCopy()
	profile.Status = status
	if err := r.Client.Status().Update(ctx, profile); err != nil {
		return reconcile.Result{}, fmt.Errorf("update status of profile %s: %w", request, err)
	}
	return reconcile.Result{}, nil
}

// children returns the NamespacedCloudProfiles that derive from a profile.
func (r *Reconciler) children(ctx context.Context, parent client.Object) []reconcile.Request {
	profiles := &gardencorev1beta1.NamespacedCloudProfileList{}
	if err := r.Client.List(ctx, profiles); err != nil {
		return nil // the initial list of profiles wakes all of them
	}
	var requests []reconcile.Request
	for i := range profiles.Items {
		if profiles.Items[i].Spec.Parent.Name == parent.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&profiles.Items[i])})
		}
	}
	return requests
}
