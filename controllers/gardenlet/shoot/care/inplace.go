package care

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// deployments lists the MachineDeployments of a shoot whose machines may wait for an update in place.
func (r *Reconciler) deployments(ctx context.Context, shoot *gardencorev1beta1.Shoot) ([]machinev1alpha1.MachineDeployment, error) {
	list := &machinev1alpha1.MachineDeploymentList{}
	if hasInPlacePools(shoot) {
		if err := r.Seed.List(ctx, list, client.InNamespace(shoot.Status.TechnicalID)); err != nil {
			return nil, fmt.Errorf("list MachineDeployments in namespace %q: %w", shoot.Status.TechnicalID, err)
		}
	}
	return list.Items, nil
}

// inPlaceUpdates writes which pools have machines that wait for an update in place, and whether a user has to do something about them.
func (r *Reconciler) inPlaceUpdates(shoot *gardencorev1beta1.Shoot, deployments []machinev1alpha1.MachineDeployment) {
	pending := PendingUpdates(shoot, deployments)
	kind := gardencorev1beta1.ShootManualInPlaceWorkersUpdated
	shoot.Status.InPlaceUpdates = nil
	if pending != nil {
		shoot.Status.InPlaceUpdates = &gardencorev1beta1.InPlaceUpdatesStatus{PendingWorkerUpdates: pending}
	}
	if pending == nil || len(pending.ManualInPlaceUpdate) == 0 {
		shoot.Status.Constraints = conditions.Remove(shoot.Status.Constraints, kind)
		return
	}
	finding := conditions.False("ManualInPlaceWorkersPending", fmt.Sprintf("Machines of the worker pools %s wait for their update in place. Label their nodes %s=true.",
		strings.Join(pending.ManualInPlaceUpdate, ", "), machinev1alpha1.SelectedForUpdateLabel))
	shoot.Status.Constraints = conditions.Set(shoot.Status.Constraints, kind, finding, r.Clock.Now())
}

func hasInPlacePools(shoot *gardencorev1beta1.Shoot) bool {
	return slices.ContainsFunc(shoot.Spec.Provider.Workers, func(w gardencorev1beta1.Worker) bool {
		return w.UpdateStrategy != nil && *w.UpdateStrategy != gardencorev1beta1.AutoRollingUpdate
	})
}

// PendingUpdates lists the pools with machines that have yet to be updated in place; nil if there are none.
func PendingUpdates(shoot *gardencorev1beta1.Shoot, deployments []machinev1alpha1.MachineDeployment) *gardencorev1beta1.PendingWorkerUpdates {
	out := &gardencorev1beta1.PendingWorkerUpdates{}
	for _, worker := range shoot.Spec.Provider.Workers {
		waits := slices.ContainsFunc(deployments, func(d machinev1alpha1.MachineDeployment) bool {
			return d.Spec.Template.Spec.NodeTemplateSpec.Labels[constants.LabelWorkerPool] == worker.Name && d.Status.UpdatedReplicas < d.Status.Replicas
		})
		if !waits || worker.UpdateStrategy == nil {
			continue
		}
		switch *worker.UpdateStrategy {
		case gardencorev1beta1.AutoInPlaceUpdate:
			out.AutoInPlaceUpdate = append(out.AutoInPlaceUpdate, worker.Name)
		case gardencorev1beta1.ManualInPlaceUpdate:
			out.ManualInPlaceUpdate = append(out.ManualInPlaceUpdate, worker.Name)
		}
	}
	if len(out.AutoInPlaceUpdate)+len(out.ManualInPlaceUpdate) == 0 {
		return nil
	}
	return out
}
