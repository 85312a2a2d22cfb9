// Package deployment reconciles MachineDeployments. It keeps one MachineSet per machine template and moves machines
// from old sets to the current one within maxSurge and maxUnavailable. It does not change machines.
package deployment

import (
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/machine/internal/retry"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller.
const ControllerName = "machine-deployment"

// AddToManager watches MachineDeployments and their MachineSets.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	return builder.ControllerManagedBy(mgr).
		Named(ControllerName).
		For(&machinev1alpha1.MachineDeployment{}).
		Owns(&machinev1alpha1.MachineSet{}).
		Watches(&machinev1alpha1.Machine{}, handler.EnqueueRequestsFromMapFunc(r.deploymentOf), builder.WithPredicates(updated())).
		WithOptions(options.Controller()).
		Complete(retry.OnConflict(r))
}
