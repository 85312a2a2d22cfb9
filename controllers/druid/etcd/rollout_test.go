package etcd

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestNextToUpdate(t *testing.T) {
	const old, current = "old", "current"
	now := time.Unix(1e9, 0)
	type member struct {
		revision      string
		ready, leaves bool
		waits         string        // reason why its container does not run
		silent        time.Duration // since when it is not ready
	}
	for name, tc := range map[string]struct {
		members map[string]member
		want    string
	}{
		"ETC-2 the highest ordinal begins while all are ready": {
			members: map[string]member{"etcd-0": {revision: old, ready: true, leaves: false}, "etcd-1": {revision: old, ready: true, leaves: false}, "etcd-2": {revision: old, ready: true, leaves: false}}, want: "etcd-2",
		},
		"ETC-2 a member with the former template that cannot start comes first": {
			members: map[string]member{"etcd-0": {revision: old, waits: "CrashLoopBackOff"}, "etcd-1": {revision: old, ready: true, leaves: false}, "etcd-2": {revision: old, ready: true, leaves: false}}, want: "etcd-0",
		},
		"ETC-2 it comes first although an updated one is not ready without it": {
			members: map[string]member{"etcd-0": {revision: old}, "etcd-1": {revision: old, waits: "CrashLoopBackOff"}, "etcd-2": {revision: current, ready: false, leaves: false}}, want: "etcd-1",
		},
		"ETC-2 a ready member waits for an updated one": {
			members: map[string]member{"etcd-0": {revision: old, ready: true, leaves: false}, "etcd-1": {revision: old, ready: true, leaves: false}, "etcd-2": {revision: current, ready: false, leaves: false}},
		},
		"ETC-2 a ready member waits for a missing one": {
			members: map[string]member{"etcd-0": {revision: old, ready: true, leaves: false}, "etcd-1": {revision: old, ready: true, leaves: false}},
		},
		"ETC-2 it waits until another one is gone": {
			members: map[string]member{"etcd-0": {revision: old, waits: "CrashLoopBackOff"}, "etcd-1": {revision: old, ready: false, leaves: true}, "etcd-2": {revision: old, ready: true, leaves: false}},
		},
		"ETC-2 the next one follows": {
			members: map[string]member{"etcd-0": {revision: old, ready: true, leaves: false}, "etcd-1": {revision: old, ready: true, leaves: false}, "etcd-2": {revision: current, ready: true, leaves: false}}, want: "etcd-1",
		},
		"ETC-2 a member that does not come back counts as broken after a while": {
			members: map[string]member{"etcd-0": {revision: old, silent: silence}, "etcd-1": {revision: old, ready: true}, "etcd-2": {revision: old, ready: true}}, want: "etcd-0",
		},
		"ETC-2 a member whose machine restarts is waited for": {
			members: map[string]member{"etcd-0": {revision: old, silent: time.Minute}, "etcd-1": {revision: old, ready: true}, "etcd-2": {revision: old, ready: true}},
		},
		"ETC-2 a member that starts is waited for": {
			members: map[string]member{"etcd-0": {revision: old, waits: "ContainerCreating"}, "etcd-1": {revision: old, ready: true}, "etcd-2": {revision: old, ready: true}},
		},
		"ETC-2 a template that does not work reaches no member that only has no majority": {
			members: map[string]member{"etcd-0": {revision: old, silent: time.Hour}, "etcd-1": {revision: old, silent: time.Hour}, "etcd-2": {revision: current, waits: "CrashLoopBackOff"}},
		},
		"ETC-2 nothing is left to do": {
			members: map[string]member{"etcd-0": {revision: current, ready: true, leaves: false}, "etcd-1": {revision: current, ready: true, leaves: false}, "etcd-2": {revision: current, ready: false, leaves: false}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "etcd", UID: "its"}, Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](3)}}
			stranger := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "etcd-2"}} // has the labels only
			pods := []corev1.Pod{stranger}
			for name, m := range tc.members {
				pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{appsv1.StatefulSetRevisionLabel: m.revision}}}
				pod.OwnerReferences = []metav1.OwnerReference{{UID: set.UID, Controller: ptr.To(true)}}
				if m.ready {
					pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
				} else {
					pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(now.Add(-m.silent))}}
				}
				if m.waits != "" {
					pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: m.waits}}}}
				}
				if m.leaves {
					pod.DeletionTimestamp = &metav1.Time{}
				}
				pods = append(pods, pod)
			}
			got := ""
			if pod := nextToUpdate(membersOf(set, pods), 3, current, now); pod != nil {
				got = pod.Name
			}
			if got != tc.want {
				t.Errorf("next is %q, want %q", got, tc.want)
			}
		})
	}
}
