package catalog

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// strip removes the fields of an object that this package does not read.
func strip(obj any) (any, error) {
	switch o := obj.(type) {
	case *corev1.Service:
		o.ObjectMeta = identity(o.ObjectMeta)
		o.Status = corev1.ServiceStatus{LoadBalancer: o.Status.LoadBalancer}
	case *corev1.Pod:
		stripPod(o)
	case *discoveryv1.EndpointSlice:
		labels := map[string]string{discoveryv1.LabelServiceName: o.Labels[discoveryv1.LabelServiceName]}
		o.ObjectMeta = identity(o.ObjectMeta)
		o.Labels = labels
	}
	return obj, nil
}

func stripPod(pod *corev1.Pod) {
	labels := pod.Labels
	pod.ObjectMeta = identity(pod.ObjectMeta)
	pod.Labels = labels
	pod.Spec = corev1.PodSpec{
		Hostname:       pod.Spec.Hostname,
		Subdomain:      pod.Spec.Subdomain,
		Containers:     ports(pod.Spec.Containers),
		InitContainers: ports(pod.Spec.InitContainers),
	}
	status := corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			status.Conditions = []corev1.PodCondition{{Type: condition.Type, Status: condition.Status}}
		}
	}
	pod.Status = status
}

func identity(m metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion,
		CreationTimestamp: m.CreationTimestamp, DeletionTimestamp: m.DeletionTimestamp,
	}
}

func ports(containers []corev1.Container) []corev1.Container {
	var kept []corev1.Container
	for _, container := range containers {
		if len(container.Ports) > 0 {
			kept = append(kept, corev1.Container{Ports: container.Ports})
		}
	}
	return kept
}
