package watchdog

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Labels of pods of a control plane.
const (
	labelInstance = "instance" // of etcds
	apiServer     = "apiserver"
)

// weeds returns the pods that wait after a crash although what they need is back since then: etcd for the API server, the API server for
// the other components. A pod that crashes afterwards crashes for another reason, and waits.
func weeds(pods []corev1.Pod) (out []*corev1.Pod) {
	main, mainSince := readySince(pods, func(p *corev1.Pod) bool { return p.Labels[labelInstance] == constants.ETCDMain })
	events, eventsSince := readySince(pods, func(p *corev1.Pod) bool { return p.Labels[labelInstance] == constants.ETCDEvents })
	server, serverSince := readySince(pods, isAPIServer)
	etcdSince := mainSince
	if eventsSince.After(etcdSince) {
		etcdSince = eventsSince
	}
	for i := range pods {
		pod := &pods[i]
		switch {
		case pod.DeletionTimestamp != nil || pod.Labels[labelInstance] != "":
		case isAPIServer(pod) && main && events && waitsSinceBefore(pod, etcdSince):
			out = append(out, pod)
		case !isAPIServer(pod) && server && waitsSinceBefore(pod, serverSince):
			out = append(out, pod)
		}
	}
	return out
}

func isAPIServer(pod *corev1.Pod) bool {
	return pod.Labels[constants.LabelRole] == apiServer
}

// readySince returns whether a pod of the kind is ready, and since when one has been ready without interruption.
func readySince(pods []corev1.Pod, kind func(*corev1.Pod) bool) (ready bool, since time.Time) {
	for i := range pods {
		if !kind(&pods[i]) || pods[i].DeletionTimestamp != nil {
			continue
		}
		for _, condition := range pods[i].Status.Conditions {
			if condition.Type != corev1.PodReady || condition.Status != corev1.ConditionTrue {
				continue
			}
			if !ready || condition.LastTransitionTime.Time.Before(since) {
				ready, since = true, condition.LastTransitionTime.Time
			}
		}
	}
	return ready, since
}

// waitsSinceBefore reports whether a container of the pod is not started again yet after a crash before the given time.
func waitsSinceBefore(pod *corev1.Pod, back time.Time) bool {
	for _, status := range pod.Status.ContainerStatuses {
		waiting, crashed := status.State.Waiting, status.LastTerminationState.Terminated
		if waiting != nil && waiting.Reason == "CrashLoopBackOff" && crashed != nil && crashed.FinishedAt.Time.Before(back) {
			return true
		}
	}
	return false
}
