package worker

import (
	"fmt"
	"strings"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// errorCodes maps the driver's error codes to Gardener's error codes.
var errorCodes = map[string]gardencorev1beta1.ErrorCode{
	"ResourceExhausted": gardencorev1beta1.ErrorInfraResourcesDepleted,
	"Unauthenticated":   gardencorev1beta1.ErrorInfraUnauthenticated,
	"PermissionDenied":  gardencorev1beta1.ErrorInfraUnauthorized,
}

// ready returns nil if all desired machines run and no others exist, an error if a machine failed in a way that
// users should know, and Waiting otherwise.
func ready(deployments []*v1alpha1.MachineDeployment) error {
	var waitFor []string
	done, wanted := int32(0), int32(0)
	for _, d := range deployments {
		if err := failure(d); err != nil {
			return err
		}
		status := d.Status
		wanted += d.Spec.Replicas
		updated := status.UpdatedReplicas
		if byHand(d) {
			updated = d.Spec.Replicas // the machines of the old template wait for a user
		}
		done += min(status.AvailableReplicas, updated, d.Spec.Replicas)
		if status.ObservedGeneration < d.Generation || status.Replicas != d.Spec.Replicas ||
			updated != d.Spec.Replicas || status.AvailableReplicas != d.Spec.Replicas {
			waitFor = append(waitFor, describe(d))
		}
	}
	if len(waitFor) == 0 {
		return nil
	}
	return contract.Waiting{For: "machines: " + strings.Join(waitFor, ", "), Progress: progress(done, wanted)}
}

// byHand reports whether a user decides when machines are updated.
func byHand(d *v1alpha1.MachineDeployment) bool {
	update := d.Spec.Strategy.InPlaceUpdate
	return update != nil && update.OrchestrationType == v1alpha1.OrchestrationTypeManual
}

// surplus describes, for Waiting, the machines beyond the desired ones. Deployments do not count machines that are
// being deleted. But these still run, and need the controllers of the Shoot to end.
func surplus(deployments []*v1alpha1.MachineDeployment, machines []v1alpha1.Machine) error {
	wanted := 0
	for _, d := range deployments {
		wanted += int(d.Spec.Replicas)
	}
	if left := len(machines) - wanted; left > 0 {
		return contract.Waiting{For: fmt.Sprintf("%d machines to go", left)}
	}
	return nil
}

func failure(d *v1alpha1.MachineDeployment) error {
	for _, machine := range d.Status.FailedMachines {
		if code, ok := errorCodes[machine.LastOperation.ErrorCode]; ok {
			return contract.WithCodes(fmt.Errorf("machine %s: %s", machine.Name, machine.LastOperation.Description), code)
		}
	}
	return nil
}

func describe(d *v1alpha1.MachineDeployment) string {
	text := fmt.Sprintf("%s has %d of %d", d.Name, min(d.Status.AvailableReplicas, d.Status.UpdatedReplicas), d.Spec.Replicas)
	if old := d.Status.Replicas - d.Status.UpdatedReplicas; old > 0 {
		text += fmt.Sprintf(" and %d old", old)
	}
	for _, machine := range d.Status.FailedMachines {
		text += fmt.Sprintf(" (%s: %s)", machine.Name, machine.LastOperation.Description)
	}
	return text
}

func progress(done, wanted int32) int32 {
	if wanted == 0 {
		return 0
	}
	return 100 * done / (wanted + 1) // below 100 while waiting
}
