package loadbalancer

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
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
	objects, nodes := []client.Object{}, []*corev1.Node{}
	for i, n := range []corev1.Node{node("10.0.0.3", corev1.ConditionTrue), node("10.0.0.2", corev1.ConditionTrue), node("10.0.0.4", corev1.ConditionUnknown), gone} {
		n.Name = fmt.Sprint("n", i)
		nodes = append(nodes, &n)
	}
	for name, kind := range map[string]corev1.ServiceType{"a": corev1.ServiceTypeLoadBalancer, "b": corev1.ServiceTypeLoadBalancer, "c": corev1.ServiceTypeClusterIP} {
		objects = append(objects, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: corev1.ServiceSpec{Type: kind}})
	}
	endless := false
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).WithStatusSubresource(&corev1.Service{}).
		WithInterceptorFuncs(interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, services := list.(*corev1.ServiceList); !services {
				t.Errorf("GLT-30 it lists %T", list)
			}
			err := c.List(ctx, list, opts...)
			if endless {
				list.SetContinue("more")
			}
			return err
		}}).
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
	queue := newQueue()
	defer queue.ShutDown()
	a := reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: "a"}}
	list := func(nodes ...*corev1.Node) {
		r.known.begin()
		for _, n := range nodes {
			r.known.offer(n, false, queue)
			step(a)
		}
		step(everything)
	}
	list(nodes...)
	if got := addresses("a"); got != nil {
		t.Errorf("GLT-30 before all nodes have been listed it has the addresses %v", got)
	}
	r.known.complete(queue)
	step(a)
	if diff := cmp.Diff([][]string{{"10.0.0.2", "10.0.0.3"}, nil}, [][]string{addresses("a"), addresses("b")}); diff != "" {
		t.Errorf("GLT-30 after a change of one service (-want +got):\n%s", diff)
	}
	step(everything)
	if diff := cmp.Diff([][]string{{"10.0.0.2", "10.0.0.3"}, nil}, [][]string{addresses("b"), addresses("c")}); diff != "" {
		t.Errorf("GLT-30 after a change of nodes (-want +got):\n%s", diff)
	}
	list(nodes[0])
	if diff := cmp.Diff([]string{"10.0.0.2", "10.0.0.3"}, addresses("a")); diff != "" {
		t.Errorf("GLT-30 while nodes are listed again (-want +got):\n%s", diff)
	}
	r.known.complete(queue)
	endless = true
	step(everything)
	if diff := cmp.Diff([]string{"10.0.0.3"}, addresses("b")); diff != "" {
		t.Errorf("GLT-30 of a list of services without an end (-want +got):\n%s", diff)
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
