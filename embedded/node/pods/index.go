package pods

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// Index holds facts about pods that the container runtime interface does not pass to the runtime. The zero value is ready. Its
// methods may be called concurrently.
type Index struct {
	mu   sync.Mutex
	pods map[string]facts // by pod UID
}

type facts struct {
	pod       *corev1.Pod
	ready     bool
	priority  int32
	completes map[string]bool // by container
}

// Set replaces the index by the node's current pods.
func (x *Index) Set(pods []*corev1.Pod) {
	all := make(map[string]facts, len(pods))
	for _, pod := range pods {
		all[string(pod.UID)] = describe(pod)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pods = all
}

// Pod returns the pod as the API has it, or nil. It must not be changed.
func (x *Index) Pod(podUID string) *corev1.Pod {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pods[podUID].pod
}

// Priority returns the pod's priority, 0 if it is unknown.
func (x *Index) Priority(podUID string) int32 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pods[podUID].priority
}

// Waits reports whether the pod is here and not Ready according to the API.
func (x *Index) Waits(podUID string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	pod, ok := x.pods[podUID]
	return ok && !pod.ready
}

// Completes reports whether a container is expected to end: an init container, or a container of a Job.
func (x *Index) Completes(podUID, container string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pods[podUID].completes[container]
}

func describe(pod *corev1.Pod) facts {
	f := facts{pod: pod, completes: map[string]bool{}}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			f.ready = condition.Status == corev1.ConditionTrue
		}
	}
	if pod.Spec.Priority != nil {
		f.priority = *pod.Spec.Priority
	}
	for _, c := range pod.Spec.InitContainers {
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		f.completes[c.Name] = !sidecar
	}
	for _, owner := range pod.OwnerReferences {
		if owner.Kind != "Job" {
			continue
		}
		for _, c := range pod.Spec.Containers {
			f.completes[c.Name] = true
		}
	}
	return f
}
