// Package podschedulername assigns pods to a different scheduler than the default one.
package podschedulername

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Mutator sets the name of the scheduler.
type Mutator struct{ SchedulerName string }

// Mutate changes pods that name no scheduler or the default one.
func (m Mutator) Mutate(_ context.Context, pod *corev1.Pod) error {
	if pod.Spec.SchedulerName == "" || pod.Spec.SchedulerName == corev1.DefaultSchedulerName {
		pod.Spec.SchedulerName = m.SchedulerName
	}
	return nil
}
