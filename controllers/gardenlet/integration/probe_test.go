package integration

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy/probe"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestProbe plays the kubelet of a seed of its own, that no gardenlet cares for.
func TestProbe(t *testing.T) {
	eventually(t, "seed", func(ctx context.Context) error {
		_, err := get(ctx, theSeed())
		return err
	})
	theirs, err := get(t.Context(), theSeed())
	if err != nil {
		t.Fatal(err)
	}
	if condition := conditions.Get(theirs.Status.Conditions, probe.Condition); condition != nil {
		t.Errorf("NET-8 an embedded seed is probed: %+v", condition)
	}
	seed := create(t, &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "probed"}, Spec: theirs.Spec})
	create(t, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-dns"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 53}}},
	})
	t.Cleanup(func() { _ = cluster.Delete(context.Background(), seed) })
	r := &probe.Reconciler{Garden: cluster, SeedClient: cluster, SeedName: seed.Name, Image: "gardener.local/gardener:test", Clock: clock.RealClock{}}
	look := func(ctx context.Context) error {
		_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(seed)})
		return err
	}
	t.Run("NET-8 the probe runs two pods, reports its finding, and cleans up", func(t *testing.T) {
		pods := map[string]corev1.PodPhase{"open": corev1.PodSucceeded, "closed": corev1.PodFailed}
		eventually(t, "pods", look)
		for name, phase := range pods {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: probe.Namespace, Name: name}}
			if _, err := get(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
			merge(t, pod, fmt.Sprintf(`{"status":{"phase":%q}}`, phase), "status")
		}
		if err := look(t.Context()); err != nil {
			t.Fatal(err)
		}
		seed, err := get(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		if condition := conditions.Get(seed.Status.Conditions, probe.Condition); condition == nil || condition.Status != "True" {
			t.Errorf("condition %+v", condition)
		}
		for name := range pods {
			eventually(t, "end of pod", isGone(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: probe.Namespace, Name: name}}))
		}
	})
}
