package local_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/infrastructure"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

func TestHold(t *testing.T) {
	const held = "shoot--local--held"
	document := func(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: held}, Spec: extensionsv1alpha1.ClusterSpec{
		CloudProfile: document(`{}`), Seed: document(`{}`),
		Shoot: document(`{"status":{"lastOperation":{"type":"Create","state":"Failed","description":"","progress":1,"lastUpdateTime":"2026-01-01T00:00:00Z"}}}`),
	}}
	infra := newInfrastructure()
	infra.Namespace = held
	infra.Annotations = map[string]string{"gardener.cloud/operation": "reconcile"}
	for _, obj := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: held}}, cluster, infra} {
		if err := seed.Create(t.Context(), obj); err != nil {
			t.Fatalf("create %T: %v", obj, err)
		}
	}
	r := &reconcile.Reconciler[*extensionsv1alpha1.Infrastructure, extensionsv1alpha1.Infrastructure]{
		Client: seed, Reader: seed, Clock: time.Now,
		Options: reconcile.Options[*extensionsv1alpha1.Infrastructure]{Types: []string{"local"}, Actuator: infrastructure.New(false)},
	}
	once := func(t *testing.T) ctrlreconcile.Result {
		t.Helper()
		result, err := r.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: client.ObjectKeyFromObject(infra)})
		if err != nil {
			t.Fatalf("reconcile: %v", err)
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(infra), infra); err != nil {
			t.Fatalf("read: %v", err)
		}
		return result
	}
	t.Run("EXT-15 leaves the objects of a failed shoot alone and looks again", func(t *testing.T) {
		if result := once(t); result.RequeueAfter == 0 || infra.Status.LastOperation != nil || infra.Annotations["gardener.cloud/operation"] == "" {
			t.Errorf("comes back after %v, last operation %+v, annotations %v", result.RequeueAfter, infra.Status.LastOperation, infra.Annotations)
		}
	})
	t.Run("EXT-15 goes on when the shoot does", func(t *testing.T) {
		cluster.Spec.Shoot = document(`{"status":{"lastOperation":{"type":"Create","state":"Processing","description":"","progress":1,"lastUpdateTime":"2026-01-01T00:00:00Z"}}}`)
		if err := seed.Update(t.Context(), cluster); err != nil {
			t.Fatalf("update cluster: %v", err)
		}
		if once(t); infra.Status.LastOperation == nil || infra.Status.LastOperation.Progress != 100 {
			t.Errorf("last operation is %+v", infra.Status.LastOperation)
		}
	})
}
