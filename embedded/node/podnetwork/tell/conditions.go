package tell

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/node/networkcondition"
	"github.com/gardener-up/gardener-up/embedded/node/podnetwork"
)

// longest is how much of an error a condition has.
const longest = 500

// conditions are those for a trial. They keep the time of the last transition of the former ones.
func conditions(trial podnetwork.Trial, former []corev1.NodeCondition, now time.Time) []corev1.NodeCondition {
	out := []corev1.NodeCondition{
		condition(networkcondition.Serves, trial.Serves, "PodsServed", "Other nodes reach the pods of this node."),
		condition(networkcondition.NameServer, trial.Names, "NameServerAnswers", "The name server of the cluster answers pods."),
		condition(networkcondition.Pods, trial.Pods, "PodsReachable", "Pods reach other pods, as far as they were tried."),
		condition(networkcondition.Services, trial.Services, "ServicesReachable", "Pods reach the Service of the API server."),
	}
	stamp := metav1.NewTime(now)
	for i := range out {
		out[i].LastHeartbeatTime, out[i].LastTransitionTime = stamp, stamp
		for _, old := range former {
			if old.Type == out[i].Type && old.Status == out[i].Status {
				out[i].LastTransitionTime = old.LastTransitionTime
			}
		}
	}
	return out
}

func condition(kind corev1.NodeConditionType, err error, reason, message string) corev1.NodeCondition {
	switch {
	case errors.Is(err, podnetwork.ErrNothing):
		return corev1.NodeCondition{Type: kind, Status: corev1.ConditionUnknown, Reason: "NotTried", Message: err.Error()}
	case err != nil:
		text := err.Error()
		return corev1.NodeCondition{Type: kind, Status: corev1.ConditionFalse, Reason: "TrialFailed", Message: text[:min(len(text), longest)]}
	}
	return corev1.NodeCondition{Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: message}
}

// due reports whether conditions have to be written: they say something else than the former ones, or those are old. A text alone changes
// nothing, since errors of connections have ports in them.
func due(next, former []corev1.NodeCondition) bool {
	for _, condition := range next {
		found := false
		for _, old := range former {
			if old.Type == condition.Type {
				found = old.Status == condition.Status && condition.LastHeartbeatTime.Sub(old.LastHeartbeatTime.Time) < networkcondition.Heartbeat
			}
		}
		if !found {
			return true
		}
	}
	return false
}
