package systemcomponents_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/systemcomponents"
)

func TestMutate(t *testing.T) {
	node := func(name string, labels map[string]string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	system := map[string]string{"system": "true"}
	mutator := &systemcomponents.Mutator{
		Target: fake.NewClientBuilder().WithObjects(
			node("system", system, corev1.Taint{Key: "pool", Value: "system", Effect: corev1.TaintEffectNoSchedule},
				corev1.Taint{Key: "node.gardener.cloud/critical-components-not-ready", Effect: corev1.TaintEffectNoSchedule},
				corev1.Taint{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoExecute}),
			node("other", nil, corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}),
		).Build(),
		NodeSelector: system, PodNodeSelector: map[string]string{"system": "true", "zone": "a"},
		PodTolerations: []corev1.Toleration{{Key: "always", Operator: corev1.TolerationOpExists}},
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: map[string]string{"zone": "b"}}}
	for range 2 { // twice is as good as once
		if err := mutator.Mutate(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
	}
	want := corev1.PodSpec{
		NodeSelector: map[string]string{"system": "true", "zone": "b"},
		Tolerations: []corev1.Toleration{
			{Key: "always", Operator: corev1.TolerationOpExists},
			{Key: "pool", Operator: corev1.TolerationOpEqual, Value: "system", Effect: corev1.TaintEffectNoSchedule},
		},
	}
	if diff := cmp.Diff(want, pod.Spec); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
	t.Run("pods of daemon sets keep to their nodes", func(t *testing.T) {
		owned := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Controller: ptr.To(true)}}}}
		if err := mutator.Mutate(t.Context(), owned); err != nil || owned.Spec.NodeSelector != nil || len(owned.Spec.Tolerations) != 2 {
			t.Errorf("pod %+v, %v", owned.Spec, err)
		}
	})
}
