package csrapprover

import (
	"fmt"

	certificatesv1 "k8s.io/api/certificates/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager. It watches the requests of the target cluster; these are few and
// short-lived.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	err := builder.ControllerManagedBy(mgr).
		Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(r.Cache, &certificatesv1.CertificateSigningRequest{},
			&handler.TypedEnqueueRequestForObject[*certificatesv1.CertificateSigningRequest]{},
			predicate.NewTypedPredicateFuncs(pending),
		)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}
