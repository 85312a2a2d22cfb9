package node

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/embedded/node/pods"
)

type asked []types.UID

func (a *asked) RequestPodReinspect(uid types.UID) { *a = append(*a, uid) }
func (a *asked) RequestPodRelist(types.UID)        {}

func TestReadinessIsAskedFor(t *testing.T) {
	ready := []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	index := &pods.Index{}
	index.Set([]*corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{UID: "waiting"}},
		{ObjectMeta: metav1.ObjectMeta{UID: "removed"}},
		{ObjectMeta: metav1.ObjectMeta{UID: "ready"}, Status: corev1.PodStatus{Conditions: ready}},
	})
	for name, tc := range map[string]struct {
		pod   string
		since time.Duration
		want  bool
	}{
		"a pod that is not ready is asked": {"waiting", 10 * time.Second, true},
		"not for ever":                     {"waiting", time.Minute, false},
		"a ready pod is not":               {"ready", 10 * time.Second, false},
		"but right after the start, as the API may be behind":                {"ready", time.Second, true},
		"a pod that is gone is not":                                          {"gone", 10 * time.Second, false},
		"a pod without a sandbox is not, since each look for it is an error": {"removed", time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReadiness(index, func(uid string) bool { return uid != "removed" })
			r.add(tc.pod)
			r.since[tc.pod] = time.Now().Add(-tc.since)
			var got asked
			again := r.ask(&got)
			if (len(got) == 1) != tc.want || again != tc.want {
				t.Errorf("asked %v, again: %t", got, again)
			}
		})
	}
}
