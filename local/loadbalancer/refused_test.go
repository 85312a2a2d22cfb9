package loadbalancer

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestRefused(t *testing.T) {
	service := func(name string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	}
	errRefused := errors.New("refused")
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(service("a"), service("b")).WithStatusSubresource(&corev1.Service{}).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: func(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if object.GetName() == "a" {
				return errRefused
			}
			return c.SubResource(sub).Patch(ctx, object, patch, opts...)
		}}).
		WithIndex(&corev1.Service{}, "spec.type", func(object client.Object) []string { return []string{string(object.(*corev1.Service).Spec.Type)} }).Build()
	r := &Reconciler{Client: c}
	queue := newQueue()
	defer queue.ShutDown()
	n := node("10.0.0.3", corev1.ConditionTrue)
	r.known.begin()
	r.known.offer(&n, false, queue)
	r.known.complete(queue)
	t.Run("GLT-30 a service whose status a webhook refuses does not keep others from their addresses", func(t *testing.T) {
		if _, err := r.Reconcile(t.Context(), everything); !errors.Is(err, errRefused) {
			t.Errorf("error %v", err)
		}
		got := &corev1.Service{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "b"}, got); err != nil || len(got.Status.LoadBalancer.Ingress) != 1 {
			t.Errorf("addresses %v, %v", got.Status.LoadBalancer.Ingress, err)
		}
	})
}
