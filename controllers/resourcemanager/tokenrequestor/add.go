package tokenrequestor

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the source cluster. It watches metadata of Secrets only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	secrets := r.Cache
	if secrets == nil {
		secrets = mgr.GetCache()
	}
	err := builder.ControllerManagedBy(mgr).
		Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(secrets, Metadata(), &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{},
			predicate.NewTypedPredicateFuncs(func(secret *metav1.PartialObjectMetadata) bool { return r.responsible(secret.Labels) }))).
		WatchesRawSource(source.Func(r.sweep)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

// Metadata is the object that stands for Secrets in caches of metadata.
func Metadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}
