package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const criticalTaint = "node.gardener.cloud/critical-components-not-ready"

func TestNodeController(t *testing.T) {
	t.Parallel()
	critical := map[string]string{"node.gardener.cloud/critical-component": "true", "app": "critical"}
	set := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "critical", Labels: critical},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: critical}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: critical}, Spec: corev1.PodSpec{
				NodeSelector: map[string]string{"critical": "yes"}, Containers: []corev1.Container{{Name: "main", Image: "nginx"}},
			},
		}},
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "fresh", Labels: map[string]string{"critical": "yes"}}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: criticalTaint, Effect: corev1.TaintEffectNoSchedule}, {Key: "example.com/other", Effect: corev1.TaintEffectNoSchedule},
	}}}
	for _, object := range []client.Object{set, node} {
		if err := target.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	tainted := func(want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := target.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
				return err
			}
			got := false
			for _, taint := range node.Spec.Taints {
				got = got || taint.Key == criticalTaint
			}
			if got != want {
				return fmt.Errorf("taints = %v", node.Spec.Taints)
			}
			return nil
		}
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "other", Name: "critical-1", Labels: critical, Annotations: map[string]string{"node.gardener.cloud/wait-for-csi-node-a": "a.example.com"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: set.Name, UID: set.UID, Controller: ptr.To(true)}},
		},
		Spec: corev1.PodSpec{NodeName: node.Name, Containers: []corev1.Container{{Name: "main", Image: "nginx"}}},
	}
	t.Run("NOD-3 a daemon set is awaited before its pod exists", func(t *testing.T) { always(t, "taint stays", tainted(true)) })
	t.Run("NOD-2 the pod has to be ready", func(t *testing.T) {
		if err := target.Create(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		always(t, "taint stays", tainted(true))
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
		if err := target.Status().Update(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("NOD-4 the driver has to be registered", func(t *testing.T) {
		always(t, "taint stays", tainted(true))
		drivers := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "a.example.com", NodeID: "x"}}}}
		if err := target.Create(t.Context(), drivers); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("NOD-2 then the taint goes, and only that", func(t *testing.T) {
		eventually(t, "taint is gone", tainted(false))
		if len(node.Spec.Taints) == 0 || node.Spec.Taints[0].Key != "example.com/other" {
			t.Errorf("taints = %v", node.Spec.Taints)
		}
	})
	t.Run("NOD-7 it does not come back", func(t *testing.T) {
		pod.Status.Conditions[0].Status = corev1.ConditionFalse
		if err := target.Status().Update(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		always(t, "no taint", tainted(false))
	})
	t.Run("NOD-3 a daemon set for other nodes does not matter", func(t *testing.T) {
		other := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "unrelated"}, Spec: corev1.NodeSpec{Taints: node.Spec.Taints}}
		other.Spec.Taints = append(other.Spec.Taints, corev1.Taint{Key: criticalTaint, Effect: corev1.TaintEffectNoSchedule})
		if err := target.Create(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		eventually(t, "taint is gone", func(ctx context.Context) error {
			if err := target.Get(ctx, client.ObjectKeyFromObject(other), other); err != nil {
				return err
			}
			for _, taint := range other.Spec.Taints {
				if taint.Key == criticalTaint {
					return errors.New("tainted")
				}
			}
			return nil
		})
	})
}
