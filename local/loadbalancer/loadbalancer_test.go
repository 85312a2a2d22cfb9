package loadbalancer

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func node(address string, ready corev1.ConditionStatus) corev1.Node {
	return corev1.Node{Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}},
		Addresses:  []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: "n"}, {Type: corev1.NodeInternalIP, Address: address}},
	}}
}

func TestIngress(t *testing.T) {
	got := ingress([]string{"10.0.0.2", "10.0.0.3"}, []corev1.LoadBalancerIngress{{IP: "10.0.0.3", IPMode: ptr.To(corev1.LoadBalancerIPModeVIP)}, {IP: "10.0.0.1"}})
	want := []corev1.LoadBalancerIngress{{IP: "10.0.0.2"}, {IP: "10.0.0.3", IPMode: ptr.To(corev1.LoadBalancerIPModeVIP)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

func TestReconcile(t *testing.T) {
	gone := node("10.0.0.9", corev1.ConditionTrue)
	gone.Finalizers, gone.DeletionTimestamp = []string{"a/b"}, &metav1.Time{Time: time.Unix(1, 0)}
	objects := []client.Object{}
	for i, n := range []corev1.Node{node("10.0.0.3", corev1.ConditionTrue), node("10.0.0.2", corev1.ConditionTrue), node("10.0.0.4", corev1.ConditionUnknown), gone} {
		n.Name = fmt.Sprint("n", i)
		objects = append(objects, &n)
	}
	for name, kind := range map[string]corev1.ServiceType{"a": corev1.ServiceTypeLoadBalancer, "b": corev1.ServiceTypeLoadBalancer, "c": corev1.ServiceTypeClusterIP} {
		objects = append(objects, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: corev1.ServiceSpec{Type: kind}})
	}
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).WithStatusSubresource(&corev1.Service{}).
		WithIndex(&corev1.Service{}, "spec.type", func(object client.Object) []string { return []string{string(object.(*corev1.Service).Spec.Type)} }).Build()
	addresses := func(name string) (out []string) {
		service := &corev1.Service{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: name}, service); err != nil {
			t.Fatal(err)
		}
		for _, entry := range service.Status.LoadBalancer.Ingress {
			out = append(out, entry.IP)
		}
		return out
	}
	r := &Reconciler{Client: c}
	step := func(request reconcile.Request) {
		if _, err := r.Reconcile(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	step(reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: "a"}})
	if diff := cmp.Diff([][]string{{"10.0.0.2", "10.0.0.3"}, nil}, [][]string{addresses("a"), addresses("b")}); diff != "" {
		t.Errorf("GLT-30 after a change of one service (-want +got):\n%s", diff)
	}
	step(everything)
	if diff := cmp.Diff([][]string{{"10.0.0.2", "10.0.0.3"}, nil}, [][]string{addresses("b"), addresses("c")}); diff != "" {
		t.Errorf("GLT-30 after a change of nodes (-want +got):\n%s", diff)
	}
}

func TestSeen(t *testing.T) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	asked := func() bool {
		if queue.Len() == 0 {
			return false
		}
		item, _ := queue.Get()
		queue.Done(item)
		return item == everything
	}
	s, n := &seen{}, node("10.0.0.3", corev1.ConditionTrue)
	s.forget(queue)
	for _, step := range []struct {
		name string
		do   func()
		want bool
	}{
		{"nobody knows what happened before", func() {}, true},
		{"a new node", func() { s.offer(&n, false, queue) }, true},
		{"a regular report", func() { s.offer(&n, false, queue) }, false},
		{"it is not ready", func() { n.Status.Conditions[0].Status = corev1.ConditionUnknown; s.offer(&n, false, queue) }, true},
		{"it is ready again", func() { n.Status.Conditions[0].Status = corev1.ConditionTrue; s.offer(&n, false, queue) }, true},
		{"it is gone", func() { s.offer(&n, true, queue) }, true},
		{"it is gone, told twice", func() { s.offer(&n, true, queue) }, false},
	} {
		if step.do(); asked() != step.want {
			t.Errorf("GLT-30 %s: services are looked at: %v, want %v", step.name, !step.want, step.want)
		}
	}
}

func TestMine(t *testing.T) {
	for name, tc := range map[string]struct {
		spec corev1.ServiceSpec
		want bool
	}{
		"a load balancer":                  {corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}, true},
		"no load balancer":                 {corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP}, false},
		"a load balancer of somebody else": {corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerClass: ptr.To("other")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mine(&corev1.Service{Spec: tc.spec}); got != tc.want {
				t.Errorf("mine: %v, want %v", got, tc.want)
			}
		})
	}
}
