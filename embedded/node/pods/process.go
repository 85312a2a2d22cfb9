package pods

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Annotations that Adapt sets for the runtime, in the kubelet only. It replaces those that a user has set.
const (
	processesAnnotation = "node.gardener.local/processes" // names of containers, separated by commas
	reasonAnnotation    = "node.gardener.local/simulated-because"
)

// Judgement says which containers of a pod are processes.
type Judgement struct {
	// Processes are names of containers. All others are simulated.
	Processes []string
	// Reason says why containers are simulated although they have the appliance image; empty if there are none.
	Reason string
}

// Judge decides which containers of a pod are processes. genuine returns nil if the landscape itself made the pod. If genuine is
// nil, no pod counts as genuine, and no reason is given. Ephemeral containers are never processes.
func Judge(pod *corev1.Pod, isAppliance func(image string) bool, genuine func(*corev1.Pod) error) Judgement {
	var asking []string
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if isAppliance(containers[i].Image) {
				asking = append(asking, containers[i].Name)
			}
		}
	}
	if len(asking) == 0 || genuine == nil {
		return Judgement{}
	}
	if err := genuine(pod); err != nil {
		return Judgement{Reason: err.Error()}
	}
	return Judgement{Processes: asking}
}

// Runs reports whether a container is a process, from the annotations of its adapted pod. reason says why not; it may
// be empty.
func Runs(annotations map[string]string, container string) (runs bool, reason string) {
	for name := range strings.SplitSeq(annotations[processesAnnotation], ",") {
		if name == container && name != "" {
			return true, ""
		}
	}
	return false, annotations[reasonAnnotation]
}

// tell writes the judgement for the runtime.
func tell(pod *corev1.Pod, j Judgement) {
	delete(pod.Annotations, processesAnnotation)
	delete(pod.Annotations, reasonAnnotation)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	if len(j.Processes) > 0 {
		pod.Annotations[processesAnnotation] = strings.Join(j.Processes, ",")
	}
	if j.Reason != "" {
		pod.Annotations[reasonAnnotation] = j.Reason
	}
}
