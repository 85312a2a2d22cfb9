package watchdog

import (
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func stays(machine *machinev1alpha1.Machine) bool {
	switch machine.Status.CurrentStatus.Phase {
	case machinev1alpha1.MachineTerminating, machinev1alpha1.MachineFailed:
		return false
	}
	return machine.DeletionTimestamp == nil && machine.Labels[machinev1alpha1.NodeLabelKey] != ""
}
