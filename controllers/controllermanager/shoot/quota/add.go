package quota

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Bindings and Quotas wake the Shoots that they limit.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-shoot-quota"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: relevant})).
		Watches(&gardencorev1beta1.SecretBinding{}, handler.EnqueueRequestsFromMapFunc(r.shootsOfBinding)).
		Watches(&securityv1alpha1.CredentialsBinding{}, handler.EnqueueRequestsFromMapFunc(r.shootsOfBinding)).
		Watches(&gardencorev1beta1.Quota{}, handler.EnqueueRequestsFromMapFunc(r.shootsOfQuota), builder.WithPredicates(predicate.Funcs{UpdateFunc: lifetimeChanged})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func relevant(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Shoot), e.ObjectNew.(*gardencorev1beta1.Shoot)
	return before.Annotations[constants.ShootExpirationTimestamp] != after.Annotations[constants.ShootExpirationTimestamp] ||
		!ptr.Equal(before.Spec.SecretBindingName, after.Spec.SecretBindingName) ||
		!ptr.Equal(before.Spec.CredentialsBindingName, after.Spec.CredentialsBindingName)
}

func lifetimeChanged(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Quota), e.ObjectNew.(*gardencorev1beta1.Quota)
	return !ptr.Equal(before.Spec.ClusterLifetimeDays, after.Spec.ClusterLifetimeDays)
}

func (r *Reconciler) shootsOfBinding(ctx context.Context, binding client.Object) []reconcile.Request {
	shoots := &gardencorev1beta1.ShootList{}
	if err := r.Client.List(ctx, shoots, client.InNamespace(binding.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil // limited Shoots are checked again after the period
	}
	_, ofSecret := binding.(*gardencorev1beta1.SecretBinding)
	var requests []reconcile.Request
	for i := range shoots.Items {
		name := shoots.Items[i].Spec.CredentialsBindingName
		if ofSecret {
			name = shoots.Items[i].Spec.SecretBindingName
		}
		if ptr.Deref(name, "") == binding.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&shoots.Items[i])})
		}
	}
	return requests
}

func (r *Reconciler) shootsOfQuota(ctx context.Context, quota client.Object) []reconcile.Request {
	var requests []reconcile.Request
	refersIn := func(namespace string, refs []corev1.ObjectReference) bool {
		return slices.ContainsFunc(refs, func(ref corev1.ObjectReference) bool {
			return ref.Name == quota.GetName() && orElse(ref.Namespace, namespace) == quota.GetNamespace()
		})
	}
	ofSecrets, ofCredentials := &gardencorev1beta1.SecretBindingList{}, &securityv1alpha1.CredentialsBindingList{}
	if r.Client.List(ctx, ofSecrets) != nil || r.Client.List(ctx, ofCredentials) != nil {
		return nil
	}
	for i := range ofSecrets.Items {
		if b := &ofSecrets.Items[i]; refersIn(b.Namespace, b.Quotas) {
			requests = append(requests, r.shootsOfBinding(ctx, b)...)
		}
	}
	for i := range ofCredentials.Items {
		if b := &ofCredentials.Items[i]; refersIn(b.Namespace, b.Quotas) {
			requests = append(requests, r.shootsOfBinding(ctx, b)...)
		}
	}
	return requests
}
