// Package set reconciles MachineSets: it keeps the number of Machines and replaces failed Machines. A change of the template that
// needs no new machine is copied to the existing Machines.
package set

import (
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/machine/internal/retry"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller.
const ControllerName = "machine-set"

// AddToManager watches MachineSets and their Machines.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	return builder.ControllerManagedBy(mgr).
		Named(ControllerName).
		For(&machinev1alpha1.MachineSet{}).
		Owns(&machinev1alpha1.Machine{}).
		WithOptions(options.Controller()).
		Complete(retry.OnConflict(r))
}
