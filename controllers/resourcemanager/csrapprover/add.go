package csrapprover

import (
	"fmt"

	certificatesv1 "k8s.io/api/certificates/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// AddToManager adds the controller to the manager under the given name, which must be unique in the process. It watches
// the requests of the target cluster; these are few and short-lived.
func (r *Reconciler) AddToManager(mgr manager.Manager, target cluster.Cluster, name string) error {
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WatchesRawSource(source.Kind(target.GetCache(), &certificatesv1.CertificateSigningRequest{},
			&handler.TypedEnqueueRequestForObject[*certificatesv1.CertificateSigningRequest]{},
			predicate.NewTypedPredicateFuncs(pending),
		)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
