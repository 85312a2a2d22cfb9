// Package etcd reconciles Etcd objects.
package etcd

import (
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/druid/share"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller and of its field manager.
const ControllerName = "druid-etcd"

// AddToManager watches Etcds, and their StatefulSets for the status.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	return builder.ControllerManagedBy(mgr).
		Named(ControllerName).
		For(&druidv1alpha1.Etcd{}).
		Owns(&appsv1.StatefulSet{}).
		WithOptions(options.Controller()).
		Complete(share.Limit(r, r.Reader, &druidv1alpha1.Etcd{}, r.Share))
}
