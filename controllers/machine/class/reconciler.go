// Package class keeps MachineClasses from being deleted while Machines use them: the driver needs the class to
// remove a machine, too.
package class

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/machine/internal/retry"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller.
const ControllerName = "machine-class"

// Reconciler adds the finalizer to one MachineClass and removes it.
type Reconciler struct {
	// Client reads MachineClasses and Machines from a cache.
	Client client.Client
	// Reader reads Machines from the API server before a class is released, because a stale cache might miss one.
	Reader client.Reader
}

// AddToManager watches MachineClasses and the Machines made from them.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	ofMachine := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
		machine, ok := object.(*machinev1alpha1.Machine)
		if !ok || machine.Spec.Class.Name == "" {
			return nil
		}
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.Class.Name}}}
	})
	return builder.ControllerManagedBy(mgr).
		Named(ControllerName).
		For(&machinev1alpha1.MachineClass{}).
		Watches(&machinev1alpha1.Machine{}, ofMachine).
		WithOptions(options.Controller()).
		Complete(retry.OnConflict(r))
}

// Reconcile adds the finalizer, and removes it from a class being deleted once the last machine is gone.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	class := &machinev1alpha1.MachineClass{}
	if err := r.Client.Get(ctx, req.NamespacedName, class); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if class.DeletionTimestamp == nil {
		return reconcile.Result{}, patch.Metadata(ctx, r.Client, class, func() {
			controllerutil.AddFinalizer(class, machinev1alpha1.FinalizerName)
		})
	}
	machines := &machinev1alpha1.MachineList{}
	if err := r.Reader.List(ctx, machines, client.InNamespace(class.Namespace)); err != nil {
		return reconcile.Result{}, fmt.Errorf("list Machines: %w", err)
	}
	for i := range machines.Items {
		if machines.Items[i].Spec.Class.Name == class.Name {
			return reconcile.Result{}, nil // the deletion of the machine triggers the next reconciliation
		}
	}
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, class, func() {
		controllerutil.RemoveFinalizer(class, machinev1alpha1.FinalizerName)
	}))
}
