package deployment

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// saveStatus summarises the sets. failure is the error of this step, nil if it succeeded.
func (r *Reconciler) saveStatus(ctx context.Context, s *scope, failure error) error {
	setStatus(s, failure, metav1.NewTime(r.Clock.Now()))
	return patch.Status(ctx, r.Client, s.deployment, s.before)
}

func setStatus(s *scope, failure error, now metav1.Time) {
	spec, status := &s.deployment.Spec, &s.deployment.Status
	if failure == nil {
		status.ObservedGeneration = s.deployment.Generation
	}
	status.Replicas, status.ReadyReplicas, status.AvailableReplicas, status.UpdatedReplicas = 0, 0, 0, 0
	status.FailedMachines = nil
	for _, set := range s.sets() {
		status.Replicas += set.Status.Replicas
		status.ReadyReplicas += set.Status.ReadyReplicas
		status.AvailableReplicas += set.Status.AvailableReplicas
		if set.Status.FailedMachines != nil {
			for _, failed := range *set.Status.FailedMachines {
				status.FailedMachines = append(status.FailedMachines, &failed)
			}
		}
	}
	if s.current != nil {
		status.UpdatedReplicas = s.current.Status.Replicas
	}
	status.UnavailableReplicas = max(spec.Replicas-status.AvailableReplicas, 0)
	for _, condition := range conditions(s, failure) {
		setCondition(status, condition, now)
	}
}

func conditions(s *scope, failure error) []machinev1alpha1.MachineDeploymentCondition {
	spec, status := &s.deployment.Spec, &s.deployment.Status
	_, unavailable := bounds(spec)
	available := machinev1alpha1.MachineDeploymentCondition{
		Type: machinev1alpha1.MachineDeploymentAvailable, Status: machinev1alpha1.ConditionTrue, Reason: "MinimumReplicasAvailable",
		Message: fmt.Sprintf("%d of %d machines are available.", status.AvailableReplicas, spec.Replicas),
	}
	if status.AvailableReplicas < spec.Replicas-unavailable {
		available.Status, available.Reason = machinev1alpha1.ConditionFalse, "MinimumReplicasUnavailable"
	}
	progressing := machinev1alpha1.MachineDeploymentCondition{
		Type: machinev1alpha1.MachineDeploymentProgressing, Status: machinev1alpha1.ConditionTrue, Reason: "MachineSetUpdated",
		Message: fmt.Sprintf("%d of %d machines are up to date.", status.UpdatedReplicas, spec.Replicas),
	}
	switch {
	case spec.Paused:
		progressing.Status, progressing.Reason = machinev1alpha1.ConditionUnknown, "DeploymentPaused"
	case complete(s):
		progressing.Reason = "NewMachineSetAvailable"
	}
	out := []machinev1alpha1.MachineDeploymentCondition{available, progressing}
	replicas := machinev1alpha1.MachineDeploymentCondition{
		Type: machinev1alpha1.MachineDeploymentReplicaFailure, Status: machinev1alpha1.ConditionFalse, Reason: "NoFailure", Message: "Machine sets are as planned.",
	}
	if failure != nil {
		replicas.Status, replicas.Reason, replicas.Message = machinev1alpha1.ConditionTrue, "MachineSetUpdateError", failure.Error()
	}
	return append(out, replicas)
}

// complete reports whether there are only available machines of the current template, in the desired number.
func complete(s *scope) bool {
	spec, status := &s.deployment.Spec, &s.deployment.Status
	return status.UpdatedReplicas == spec.Replicas && status.Replicas == spec.Replicas && status.AvailableReplicas == spec.Replicas
}

func setCondition(status *machinev1alpha1.MachineDeploymentStatus, next machinev1alpha1.MachineDeploymentCondition, now metav1.Time) {
	next.LastTransitionTime, next.LastUpdateTime = now, now
	i := slices.IndexFunc(status.Conditions, func(c machinev1alpha1.MachineDeploymentCondition) bool { return c.Type == next.Type })
	if i < 0 {
		status.Conditions = append(status.Conditions, next)
		return
	}
	old := &status.Conditions[i]
	if old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
		if old.Reason == next.Reason && old.Message == next.Message {
			next.LastUpdateTime = old.LastUpdateTime
		}
	}
	*old = next
}
