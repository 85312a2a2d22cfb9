package node

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/node/pods"
)

// judges decide which containers are processes, once per version of a pod. An event tells when a pod that asks for the
// appliance image is simulated.
type judges struct {
	config   Config
	recorder record.EventRecorder
	known    map[types.UID]judged
}

type judged struct {
	version string
	pods.Judgement
}

func newJudges(c Config, recorder record.EventRecorder) *judges {
	return &judges{config: c, recorder: recorder, known: map[types.UID]judged{}}
}

func (j *judges) isAppliance(name string) bool { return image.Is(name, j.config.Image) }

// all judges the pods of the node, and forgets those that are gone.
func (j *judges) all(current []*corev1.Pod) []pods.Judgement {
	result, known := make([]pods.Judgement, len(current)), make(map[types.UID]judged, len(current))
	for i, pod := range current {
		before, seen := j.known[pod.UID]
		if !seen || before.version != pod.ResourceVersion {
			now := judged{pod.ResourceVersion, pods.Judge(pod, j.isAppliance, j.config.Genuine)}
			if j.config.Sandboxes != nil {
				now.Judgement = pods.JudgeSandboxed(pod, j.isAppliance, now.Judgement)
			}
			if now.Reason != "" && now.Reason != before.Reason {
				j.recorder.Eventf(pod, corev1.EventTypeWarning, "Simulated", "Containers of the appliance image are simulated: %s", now.Reason)
			}
			before = now
		}
		known[pod.UID], result[i] = before, before.Judgement
	}
	j.known = known
	return result
}
