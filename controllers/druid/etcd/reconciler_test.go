package etcd

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// A user changes the Etcd and asks for its reconciliation while the former request is being done.
func TestRequestDuringAnother(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	etcd := &druidv1alpha1.Etcd{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "e", Generation: 1, Annotations: map[string]string{operationAnnotation: operationReconcile}},
		Spec:       druidv1alpha1.EtcdSpec{Replicas: 1},
	}
	changed := false
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(etcd).WithStatusSubresource(etcd).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
			if !changed {
				changed = true
				newer := &druidv1alpha1.Etcd{}
				if err := c.Get(ctx, client.ObjectKeyFromObject(etcd), newer); err != nil {
					return err
				}
				newer.Spec.Replicas, newer.Generation = 3, 2 // as the API server counts
				if err := c.Update(ctx, newer); err != nil {
					return err
				}
			}
			return c.SubResource(sub).Patch(ctx, object, patch, options...)
		},
	}).Build()
	r := &Reconciler{Client: c, Reader: c, Clock: clocktesting.NewFakePassiveClock(metav1.Now().Time), Image: "image"}
	key := client.ObjectKeyFromObject(etcd)
	annotation := func() string {
		if err := c.Get(t.Context(), key, etcd); err != nil {
			t.Fatal(err)
		}
		return etcd.Annotations[operationAnnotation]
	}
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	if got := annotation(); got != operationReconcile {
		t.Errorf("annotation %q: the newer request is lost", got)
	}
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	if got := annotation(); got != "" {
		t.Errorf("annotation %q after the newer request is done", got)
	}
}
