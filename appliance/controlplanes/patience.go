package controlplanes

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patience is how long a workload may take to start again: after a crash, for a new version, or with new certificates.
const patience = 10 * time.Second

// ill keeps since when workloads ail.
type ill map[types.UID]time.Time

// note returns the workloads that ail for longer than they may take to start again. hangs reports whether a workload does not
// start, but runs without an answer, which is told at once.
func (i ill) note(ailing []workload, now time.Time, hangs func(workload) bool) (next ill, told []workload) {
	next = ill{}
	for _, w := range ailing {
		began, known := i[w.uid]
		if !known {
			began = now
		}
		next[w.uid] = began
		if now.Sub(began) >= patience || hangs(w) {
			told = append(told, w)
		}
	}
	return next, told
}

// hang reports whether a container of the pods runs for a while and does not serve.
func hang(pods []corev1.Pod, now time.Time) bool {
	for i := range pods {
		if pods[i].DeletionTimestamp != nil {
			continue
		}
		for _, c := range pods[i].Status.ContainerStatuses {
			if running := c.State.Running; running != nil && !c.Ready && now.Sub(running.StartedAt.Time) >= patience {
				return true
			}
		}
	}
	return false
}
