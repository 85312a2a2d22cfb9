package node_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/node"
)

func TestMissing(t *testing.T) {
	set := func(labels, selector map[string]string) appsv1.DaemonSet {
		result := appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "proxy", UID: "1"}}
		result.Spec.Template.Labels, result.Spec.Template.Spec.NodeSelector = labels, selector
		return result
	}
	pod := func(ready corev1.ConditionStatus, owner string) corev1.Pod {
		controller := true
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "pod", OwnerReferences: []metav1.OwnerReference{{UID: "1", Name: owner, Controller: &controller}}},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
		}
	}
	critical := map[string]string{"node.gardener.cloud/critical-component": "true"}
	for name, tc := range map[string]struct {
		sets []appsv1.DaemonSet
		pods []corev1.Pod
		want string
	}{
		"NOD-2 nothing critical, nothing missing":          {},
		"NOD-3 a set without its pod":                      {sets: []appsv1.DaemonSet{set(critical, nil)}, want: "pod of DaemonSet kube-system/proxy does not exist"},
		"NOD-3 a set whose template has no label":          {sets: []appsv1.DaemonSet{set(nil, nil)}},
		"NOD-3 a set for other nodes":                      {sets: []appsv1.DaemonSet{set(critical, map[string]string{"pool": "b"})}},
		"NOD-2 a set whose pod is ready":                   {sets: []appsv1.DaemonSet{set(critical, map[string]string{"pool": "a"})}, pods: []corev1.Pod{pod(corev1.ConditionTrue, "proxy")}},
		"NOD-2 a pod that is not ready, with a set or not": {pods: []corev1.Pod{pod(corev1.ConditionFalse, "x")}, want: "pod kube-system/pod is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			got := node.Missing(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"pool": "a"}}}, tc.sets, tc.pods)
			if got != tc.want {
				t.Errorf("Missing = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestDrivers(t *testing.T) {
	const prefix = "node.gardener.cloud/wait-for-csi-node-"
	pods := []corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{prefix + "a": "b.example", prefix + "b": "a.example", "other": "c"}}},
		{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{prefix + "a": "a.example"}}},
	}
	t.Run("NOD-4 several drivers, also of one pod", func(t *testing.T) {
		if diff := cmp.Diff([]string{"a.example", "b.example"}, node.WantedDrivers(pods)); diff != "" {
			t.Errorf("drivers (-want +got):\n%s", diff)
		}
	})
	t.Run("NOD-4 all of them have to be registered", func(t *testing.T) {
		registered := &storagev1.CSINode{Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "a.example"}}}}
		if got := node.MissingDriver([]string{"a.example", "b.example"}, registered); got != `CSI driver "b.example" is not registered` {
			t.Errorf("MissingDriver = %q", got)
		}
	})
}
