package probe

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
)

// result of one pod.
type result int

const (
	running result = iota
	reached
	failed
	late // it did not end in time
)

func resultOf(pod *corev1.Pod, now time.Time) result {
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return reached
	case corev1.PodFailed:
		return failed
	}
	if now.Sub(pod.CreationTimestamp.Time) > patience {
		return late
	}
	return running
}

// judge returns nil as long as a pod runs.
func judge(results map[string]result) *conditions.Finding {
	var finding conditions.Finding
	switch may, mayNot := results[open], results[closed]; {
	case may == late || mayNot == late:
		finding = conditions.Unknown("ProbeDoesNotRun", "The pods in namespace "+Namespace+" that find out whether network policies are enforced do not run.")
	case may == running || mayNot == running:
		return nil
	case may == failed:
		finding = conditions.Unknown("NoConnection", "Pods of the seed cannot reach its name server, so nothing is known about network policies.")
	case mayNot == reached:
		finding = conditions.False("NotEnforced", "The network of the seed does not enforce network policies: control planes can reach each other.")
	default:
		finding = conditions.True("Enforced", "The network of the seed enforces network policies.")
	}
	return &finding
}
