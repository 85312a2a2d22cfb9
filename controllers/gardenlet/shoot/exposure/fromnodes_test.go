package exposure_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestFromNodes(t *testing.T) {
	for name, tc := range map[string]struct {
		handler            string // of the shoot's exposure class; empty for none
		tls, proxy, tunnel string
		serviceHost        string
	}{
		"PRT-1 nodes reach the usual gateway at the usual ports":         {"", ":443", ":8443", ":8132", "api.sun.sky.internal"},
		"PRT-4 nodes reach the gateway of a handler at its ports":        {"edge", ":543", ":8543", ":8232", ""},
		"PRT-4 a gateway without ports of its own is at the usual ports": {"embedded", ":443", ":8443", ":8132", "api.sun.sky.internal"},
	} {
		t.Run(name, func(t *testing.T) {
			s := reached(exposure.Access{MachineServerPort: 443})
			s.Internal = &operation.Domain{Name: "sun.sky.internal"}
			s.Gateways = map[string]exposure.Gateway{"edge": {Ports: frontdoor.Ports{TLS: 543, Proxy: 8543, Tunnel: 8232}}, "embedded": {}}
			if tc.handler != "" {
				s.ExposureClass = &gardencorev1beta1.ExposureClass{ObjectMeta: metav1.ObjectMeta{Name: "public"}, Handler: tc.handler}
			}
			for want, port := range map[string]func(frontdoor.Ports) int32{
				tc.tls:    func(ports frontdoor.Ports) int32 { return ports.TLS },
				tc.proxy:  func(ports frontdoor.Ports) int32 { return ports.Proxy },
				tc.tunnel: func(ports frontdoor.Ports) int32 { return ports.Tunnel },
			} {
				if got, err := s.FromNodes(port); err != nil || got != s.Internal.APIServer()+want {
					t.Errorf("address is %s, %v; want port %s", got, err, want)
				}
			}
			if got, err := s.ServiceHost(); err != nil || got != tc.serviceHost {
				t.Errorf("pods use host %q, %v; want %q", got, err, tc.serviceHost)
			}
		})
	}
}
