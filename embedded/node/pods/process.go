package pods

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations that Adapt sets for the runtime, in the kubelet only. It replaces those that a user has set.
const (
	processesAnnotation = "node.gardener.local/processes" // names of containers, separated by commas
	sandboxedAnnotation = "node.gardener.local/sandboxed" // likewise
	reasonAnnotation    = "node.gardener.local/simulated-because"
)

// SimulateAnnotation is the annotation of a pod, with the value "true", whose containers shall be simulated although the node has sandboxes.
const SimulateAnnotation = "simulation.gardener.local/simulate"

// Judgement says which containers of a pod are processes, and which run in sandboxes. All others are simulated.
type Judgement struct {
	// Processes and Sandboxed are names of containers.
	Processes, Sandboxed []string
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

// labelOrigin is a label of objects that Gardener itself brings into a shoot, with the value gardener.
const labelOrigin, gardener = "origin", "gardener"

// systemComponent reports whether Gardener itself has brought the pod into the cluster: what the pod would do is part of this binary. A user who gives a pod
// the same label gets it simulated, too.
func systemComponent(pod *corev1.Pod) bool {
	return pod.Namespace == metav1.NamespaceSystem && pod.Labels[labelOrigin] == gardener
}

// JudgeSandboxed decides which containers of a pod run in sandboxes, on a node that has them: all but those of the appliance image,
// unless the pod is one of Gardener's own, asks for simulation, is in the network of the node, or has processes.
func JudgeSandboxed(pod *corev1.Pod, isAppliance func(image string) bool, j Judgement) Judgement {
	switch {
	case len(j.Processes) > 0:
		return j
	case pod.Annotations[SimulateAnnotation] == "true":
		j.Reason = "the pod asks for it by the annotation " + SimulateAnnotation
		return j
	case systemComponent(pod):
		return j
	case pod.Spec.HostNetwork:
		j.Reason = "the pod is in the network of its node"
		return j
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if !isAppliance(containers[i].Image) {
				j.Sandboxed = append(j.Sandboxed, containers[i].Name)
			}
		}
	}
	return j
}

// RunsSandboxed reports whether a container runs in a sandbox, from the annotations of its adapted pod.
func RunsSandboxed(annotations map[string]string, container string) bool {
	return listed(annotations[sandboxedAnnotation], container)
}

// HasSandboxes reports whether any container of an adapted pod runs in a sandbox.
func HasSandboxes(annotations map[string]string) bool { return annotations[sandboxedAnnotation] != "" }

// listed reports whether a list, separated by commas, has the name.
func listed(list, name string) bool {
	return name != "" && slices.Contains(strings.Split(list, ","), name)
}

// Runs reports whether a container is a process, from the annotations of its adapted pod. reason says why not; it may
// be empty.
func Runs(annotations map[string]string, container string) (runs bool, reason string) {
	if listed(annotations[processesAnnotation], container) {
		return true, ""
	}
	return false, annotations[reasonAnnotation]
}

// tell writes the judgement for the runtime.
func tell(pod *corev1.Pod, j Judgement) {
	delete(pod.Annotations, processesAnnotation)
	delete(pod.Annotations, sandboxedAnnotation)
	delete(pod.Annotations, reasonAnnotation)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	if len(j.Processes) > 0 {
		pod.Annotations[processesAnnotation] = strings.Join(j.Processes, ",")
	}
	if len(j.Sandboxed) > 0 {
		pod.Annotations[sandboxedAnnotation] = strings.Join(j.Sandboxed, ",")
	}
	if j.Reason != "" {
		pod.Annotations[reasonAnnotation] = j.Reason
	}
}
