package gateway

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestService(t *testing.T) {
	for name, tc := range map[string]struct {
		asked, want corev1.ServiceType
		policy      corev1.ServiceExternalTrafficPolicy
	}{
		"OPR-34 a gateway is reached in the cluster only unless asked for": {"", corev1.ServiceTypeClusterIP, ""},
		"OPR-34 a gateway at the ports of nodes":                           {corev1.ServiceTypeNodePort, corev1.ServiceTypeNodePort, "Local"},
		"OPR-34 a gateway behind a load balancer":                          {corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeLoadBalancer, "Local"},
	} {
		t.Run(name, func(t *testing.T) {
			got := service(Values{ServiceType: tc.asked, ExternalTrafficPolicy: "Local"})
			if got.Spec.Type != tc.want || got.Spec.ExternalTrafficPolicy != tc.policy {
				t.Errorf("service %+v", got.Spec)
			}
		})
	}
}
