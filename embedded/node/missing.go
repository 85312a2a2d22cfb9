package node

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"

	"github.com/gardener-up/gardener-up/embedded/node/runtime"
)

// missingImages tells users by an event of the pod that a container is simulated in place of one in a sandbox.
func missingImages(recorder record.EventRecorder) func(runtime.MissingImage) {
	return func(m runtime.MissingImage) {
		pod := &corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: m.Namespace, Name: m.Pod, UID: types.UID(m.PodUID), FieldPath: "spec.containers{" + m.Container + "}",
		}
		recorder.Eventf(pod, corev1.EventTypeWarning, "Simulated", "container %s is simulated: %s", m.Container, m.Because)
	}
}
