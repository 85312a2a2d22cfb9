package set

import (
	"cmp"
	"slices"
	"strconv"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// decision is what has to happen to a set.
type decision struct {
	create int
	remove []*machinev1alpha1.Machine
}

func (d decision) nothing() bool { return d.create == 0 && len(d.remove) == 0 }

// decide compares the machines with the number wanted. Machines that failed are removed and replaced.
func decide(set *machinev1alpha1.MachineSet, machines []*machinev1alpha1.Machine) decision {
	var d decision
	var active []*machinev1alpha1.Machine
	for _, machine := range machines {
		switch {
		case machine.DeletionTimestamp != nil:
		case machine.Status.CurrentStatus.Phase == machinev1alpha1.MachineFailed:
			d.remove = append(d.remove, machine)
		default:
			active = append(active, machine)
		}
	}
	wanted := max(int(set.Spec.Replicas), 0)
	if len(active) <= wanted {
		if set.Annotations[machinev1alpha1.SucceededByAnnotation] == "" {
			d.create = wanted - len(active)
		}
		return d
	}
	slices.SortFunc(active, goesBefore)
	d.remove = append(d.remove, active[:len(active)-wanted]...)
	return d
}

// goesBefore orders machines by who goes first when a set shrinks: lower priority, then further from running,
// then younger.
func goesBefore(a, b *machinev1alpha1.Machine) int {
	return cmp.Or(
		cmp.Compare(priority(a), priority(b)),
		cmp.Compare(closeness(a), closeness(b)),
		b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name),
	)
}

func priority(machine *machinev1alpha1.Machine) int {
	n, err := strconv.Atoi(machine.Annotations[machinev1alpha1.MachinePriority])
	if err != nil {
		return machinev1alpha1.DefaultMachinePriority
	}
	return n
}

// closeness is how close a machine is to running.
func closeness(machine *machinev1alpha1.Machine) int {
	return slices.Index([]machinev1alpha1.MachinePhase{
		machinev1alpha1.MachineTerminating,
		machinev1alpha1.MachineFailed,
		machinev1alpha1.MachineCrashLoopBackOff,
		machinev1alpha1.MachineInPlaceUpdateFailed,
		machinev1alpha1.MachineUnknown,
		"",
		machinev1alpha1.MachinePending,
		machinev1alpha1.MachineAvailable,
		machinev1alpha1.MachineInPlaceUpdating,
		machinev1alpha1.MachineInPlaceUpdateSuccessful,
		machinev1alpha1.MachineRunning,
	}, machine.Status.CurrentStatus.Phase)
}
