package watchdog

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"
)

// Replicas is the annotation of a Deployment that the prober has stopped. It contains the former number of replicas.
const Replicas = "dependency-watchdog.gardener.cloud/replicas"

// most bounds what an annotation can make of a Deployment.
const most = 10

// formerReplicas reads the annotation of a Deployment that was stopped. A damaged number means one replica.
func formerReplicas(deployment *appsv1.Deployment) (int32, bool) {
	text, found := deployment.Annotations[Replicas]
	if !found {
		return 0, false
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < 1 {
		return 1, true
	}
	return int32(min(number, most)), true
}

// Stopped reports whether the prober has stopped a Deployment.
func Stopped(deployment *appsv1.Deployment) bool {
	_, found := deployment.Annotations[Replicas]
	return found && ptr.Deref(deployment.Spec.Replicas, 1) == 0
}
