package tokenrequestor

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the source cluster. It watches metadata of Secrets only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	err := builder.ControllerManagedBy(mgr).
		Named(r.Name).
		WithOptions(options.Controller()).
		For(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(predicate.NewPredicateFuncs(func(secret client.Object) bool {
			return Responsible(r.Class, secret.GetLabels())
		}))).
		WatchesRawSource(source.Func(r.sweep)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}
