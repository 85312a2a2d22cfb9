package set

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// saveStatus counts the machines. It returns after how long a machine that runs will count as available; 0 for none.
func (r *Reconciler) saveStatus(ctx context.Context, set *machinev1alpha1.MachineSet, machines []*machinev1alpha1.Machine, failure error) (time.Duration, error) {
	before := set.DeepCopy()
	again := setStatus(set, machines, failure, r.Clock.Now())
	return again, patch.Status(ctx, r.Client, set, before)
}

func setStatus(set *machinev1alpha1.MachineSet, machines []*machinev1alpha1.Machine, failure error, now time.Time) time.Duration {
	status := &set.Status
	if failure == nil {
		status.ObservedGeneration = set.Generation
	}
	status.Replicas, status.FullyLabeledReplicas, status.ReadyReplicas, status.AvailableReplicas = 0, 0, 0, 0
	minimum, again := time.Duration(set.Spec.MinReadySeconds)*time.Second, time.Duration(0)
	var failed []machinev1alpha1.MachineSummary
	for _, machine := range machines {
		if machine.Status.CurrentStatus.Phase == machinev1alpha1.MachineFailed {
			failed = append(failed, summary(machine, set.Name))
			continue
		}
		if machine.DeletionTimestamp != nil {
			continue
		}
		if last := machine.Status.LastOperation; last.LastUpdateTime.After(status.LastOperation.LastUpdateTime.Time) {
			status.LastOperation = last
		}
		status.Replicas++
		if labelled(machine, set) {
			status.FullyLabeledReplicas++
		}
		since := runsSince(machine)
		if since.IsZero() {
			continue
		}
		status.ReadyReplicas++
		if left := since.Add(minimum).Sub(now); left > 0 && minimum > 0 {
			again = max(again, left)
			continue
		}
		status.AvailableReplicas++
	}
	status.FailedMachines = remember(status.FailedMachines, failed, machines)
	status.Conditions = condition(status.Conditions, failure, metav1.NewTime(now))
	return again
}

// remember keeps telling about machines that failed until they are gone.
func remember(old *[]machinev1alpha1.MachineSummary, failed []machinev1alpha1.MachineSummary, machines []*machinev1alpha1.Machine) *[]machinev1alpha1.MachineSummary {
	if old != nil {
		for _, was := range *old {
			exists := slices.ContainsFunc(machines, func(m *machinev1alpha1.Machine) bool { return m.Name == was.Name })
			listed := slices.ContainsFunc(failed, func(s machinev1alpha1.MachineSummary) bool { return s.Name == was.Name })
			if exists && !listed {
				failed = append(failed, was)
			}
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &failed
}

func summary(machine *machinev1alpha1.Machine, owner string) machinev1alpha1.MachineSummary {
	return machinev1alpha1.MachineSummary{
		Name: machine.Name, ProviderID: machine.Spec.ProviderID, LastOperation: machine.Status.LastOperation, OwnerRef: owner,
	}
}

func labelled(machine *machinev1alpha1.Machine, set *machinev1alpha1.MachineSet) bool {
	for key, value := range set.Spec.Template.Labels {
		if machine.Labels[key] != value {
			return false
		}
	}
	return true
}

// condition tells about a failure, for as long as it lasts.
func condition(conditions []machinev1alpha1.MachineSetCondition, failure error, now metav1.Time) []machinev1alpha1.MachineSetCondition {
	isFailure := func(c machinev1alpha1.MachineSetCondition) bool {
		return c.Type == machinev1alpha1.MachineSetReplicaFailure
	}
	i := slices.IndexFunc(conditions, isFailure)
	if failure == nil {
		return slices.DeleteFunc(conditions, isFailure)
	}
	next := machinev1alpha1.MachineSetCondition{
		Type: machinev1alpha1.MachineSetReplicaFailure, Status: machinev1alpha1.ConditionTrue, LastTransitionTime: now,
		Reason: "FailedScaling", Message: failure.Error(),
	}
	if i < 0 {
		return append(conditions, next)
	}
	next.LastTransitionTime = conditions[i].LastTransitionTime
	conditions[i] = next
	return conditions
}
