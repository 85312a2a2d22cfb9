// Package podschedulername assigns pods to a scheduler of their own.
package podschedulername

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Mutator names the scheduler.
type Mutator struct{ SchedulerName string }

// Mutate changes pods that do not name a scheduler other than the default one themselves.
func (m Mutator) Mutate(_ context.Context, pod *corev1.Pod) error {
	if pod.Spec.SchedulerName == "" || pod.Spec.SchedulerName == corev1.DefaultSchedulerName {
		pod.Spec.SchedulerName = m.SchedulerName
	}
	return nil
}
