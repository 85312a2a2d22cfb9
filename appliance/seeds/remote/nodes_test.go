package remote

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func clusterNode(name, provider string, addresses ...corev1.NodeAddress) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: provider}, Status: corev1.NodeStatus{Addresses: addresses},
	}
}

func TestEntryOf(t *testing.T) {
	inner, outer := corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: "192.0.2.1"}
	balanced := func(ingress corev1.LoadBalancerIngress) *corev1.Service {
		return &corev1.Service{Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{ingress}}}}
	}
	for name, tc := range map[string]struct {
		service *corev1.Service
		nodes   []corev1.Node
		want    string
	}{
		"a load balancer comes first":             {balanced(corev1.LoadBalancerIngress{IP: "192.0.2.9"}), []corev1.Node{*clusterNode("a", "", outer)}, "192.0.2.9"},
		"it may have a name":                      {balanced(corev1.LoadBalancerIngress{Hostname: "lb.example.org"}), nil, "lb.example.org"},
		"an outer address of any node comes next": {&corev1.Service{}, []corev1.Node{*clusterNode("a", "", inner), *clusterNode("b", "", inner, outer)}, "192.0.2.1"},
		"then an inner one":                       {nil, []corev1.Node{*clusterNode("a", "", inner)}, "10.0.0.1"},
		"there may be none":                       {nil, []corev1.Node{*clusterNode("a", "")}, ""},
	} {
		t.Run("API-11 "+name, func(t *testing.T) {
			if got := entryOf(tc.service, tc.nodes); got != tc.want {
				t.Errorf("entry is %q, want %q", got, tc.want)
			}
		})
	}
}
