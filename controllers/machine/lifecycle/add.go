// Package lifecycle reconciles Machines. It makes machines through the driver, watches their nodes, and sets labels, annotations and
// taints on the nodes. In the end it drains the nodes and removes the machines. Other controllers decide how many machines there
// are.
package lifecycle

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/machine/internal/retry"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller.
const ControllerName = "machine-lifecycle"

// AddToManager watches Machines in the manager's cluster and Nodes in the target cluster.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	nodes := handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, node *corev1.Node) []reconcile.Request {
		return r.machinesOf(ctx, node)
	})
	return builder.ControllerManagedBy(mgr).
		Named(ControllerName).
		For(&machinev1alpha1.Machine{}).
		WatchesRawSource(source.Kind(r.TargetCache, &corev1.Node{}, nodes)).
		WithOptions(options.Controller()).
		Complete(retry.OnConflict(r))
}

// machinesOf finds the machine of a node by the label that names the node.
func (r *Reconciler) machinesOf(ctx context.Context, node *corev1.Node) []reconcile.Request {
	machines := &machinev1alpha1.MachineList{}
	if err := r.Client.List(ctx, machines, client.InNamespace(r.Namespace), client.MatchingLabels{machinev1alpha1.NodeLabelKey: node.Name}); err != nil {
		return nil // the cache fails only before it has started, and then all machines come anyway
	}
	var out []reconcile.Request
	for i := range machines.Items {
		out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
	}
	return out
}
