package loadbalancer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func node(address string, ready corev1.ConditionStatus) corev1.Node {
	return corev1.Node{Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}},
		Addresses:  []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: "n"}, {Type: corev1.NodeInternalIP, Address: address}},
	}}
}

func TestIngress(t *testing.T) {
	gone := node("10.0.0.9", corev1.ConditionTrue)
	gone.DeletionTimestamp = &metav1.Time{}
	got := ingress(
		[]corev1.Node{node("10.0.0.3", corev1.ConditionTrue), node("10.0.0.2", corev1.ConditionTrue), node("10.0.0.4", corev1.ConditionUnknown), gone},
		[]corev1.LoadBalancerIngress{{IP: "10.0.0.3", IPMode: ptr.To(corev1.LoadBalancerIPModeVIP)}, {IP: "10.0.0.1"}},
	)
	want := []corev1.LoadBalancerIngress{{IP: "10.0.0.2"}, {IP: "10.0.0.3", IPMode: ptr.To(corev1.LoadBalancerIPModeVIP)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
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
