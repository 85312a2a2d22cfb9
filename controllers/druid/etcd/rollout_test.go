package etcd

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestNextToUpdate(t *testing.T) {
	const old, current = "old", "current"
	type member struct {
		revision      string
		ready, leaves bool
	}
	for name, tc := range map[string]struct {
		members map[string]member
		want    string
	}{
		"ETC-2 the highest ordinal begins while all are ready": {
			members: map[string]member{"etcd-0": {old, true, false}, "etcd-1": {old, true, false}, "etcd-2": {old, true, false}}, want: "etcd-2",
		},
		"ETC-2 a broken member with the former template comes first": {
			members: map[string]member{"etcd-0": {old, false, false}, "etcd-1": {old, true, false}, "etcd-2": {old, true, false}}, want: "etcd-0",
		},
		"ETC-2 a broken member with the former template comes first although an updated one is not ready without it": {
			members: map[string]member{"etcd-0": {old, false, false}, "etcd-1": {old, false, false}, "etcd-2": {current, false, false}}, want: "etcd-1",
		},
		"ETC-2 a ready member waits for an updated one": {
			members: map[string]member{"etcd-0": {old, true, false}, "etcd-1": {old, true, false}, "etcd-2": {current, false, false}},
		},
		"ETC-2 a ready member waits for a missing one": {
			members: map[string]member{"etcd-0": {old, true, false}, "etcd-1": {old, true, false}},
		},
		"ETC-2 a broken member waits until another one is gone": {
			members: map[string]member{"etcd-0": {old, false, false}, "etcd-1": {old, false, true}, "etcd-2": {old, true, false}},
		},
		"ETC-2 the next one follows": {
			members: map[string]member{"etcd-0": {old, true, false}, "etcd-1": {old, true, false}, "etcd-2": {current, true, false}}, want: "etcd-1",
		},
		"ETC-2 nothing is left to do": {
			members: map[string]member{"etcd-0": {current, true, false}, "etcd-1": {current, true, false}, "etcd-2": {current, false, false}},
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
				}
				if m.leaves {
					pod.DeletionTimestamp = &metav1.Time{}
				}
				pods = append(pods, pod)
			}
			got := ""
			if pod := nextToUpdate(membersOf(set, pods), 3, current); pod != nil {
				got = pod.Name
			}
			if got != tc.want {
				t.Errorf("next is %q, want %q", got, tc.want)
			}
		})
	}
}
