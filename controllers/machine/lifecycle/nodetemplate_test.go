package lifecycle

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestMergeTemplate(t *testing.T) {
	template := func(labels map[string]string, taints ...corev1.Taint) *machinev1alpha1.NodeTemplateSpec {
		out := &machinev1alpha1.NodeTemplateSpec{}
		out.Labels, out.Spec.Taints = labels, taints
		return out
	}
	apply := func(node *corev1.Node, template *machinev1alpha1.NodeTemplateSpec) {
		record, err := json.Marshal(recordOf(template))
		if err != nil {
			t.Fatal(err)
		}
		mergeTemplate(node, template, string(record))
	}
	ours := corev1.Taint{Key: "dedicated", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	theirs := corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}

	node := &corev1.Node{}
	node.Labels = map[string]string{"kubernetes.io/os": "linux"}
	node.Spec.Taints = []corev1.Taint{theirs}

	t.Run("what the template says is added", func(t *testing.T) {
		apply(node, template(map[string]string{"pool": "a", "gone": "soon"}, ours))
		if diff := cmp.Diff(map[string]string{"kubernetes.io/os": "linux", "pool": "a", "gone": "soon"}, node.Labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]corev1.Taint{theirs, ours}, node.Spec.Taints); diff != "" {
			t.Errorf("taints (-want +got):\n%s", diff)
		}
	})
	t.Run("applying again changes nothing", func(t *testing.T) {
		before := node.DeepCopy()
		apply(node, template(map[string]string{"pool": "a", "gone": "soon"}, ours))
		if diff := cmp.Diff(before, node); diff != "" {
			t.Errorf("node (-want +got):\n%s", diff)
		}
	})
	t.Run("what it says no more is removed, what others said stays", func(t *testing.T) {
		apply(node, template(map[string]string{"pool": "b"}))
		if diff := cmp.Diff(map[string]string{"kubernetes.io/os": "linux", "pool": "b"}, node.Labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]corev1.Taint{theirs}, node.Spec.Taints); diff != "" {
			t.Errorf("taints (-want +got):\n%s", diff)
		}
	})
	t.Run("a record that is spoilt is written anew", func(t *testing.T) {
		node.Annotations[machinev1alpha1.LastAppliedALTAnnotation] = "{"
		apply(node, template(map[string]string{"pool": "c"}))
		if node.Labels["pool"] != "c" || node.Annotations[machinev1alpha1.LastAppliedALTAnnotation] == "{" {
			t.Errorf("labels %v, annotations %v", node.Labels, node.Annotations)
		}
	})
}
