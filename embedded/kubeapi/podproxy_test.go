package kubeapi

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestDialPods(t *testing.T) {
	t.Run("APP-13 the proxy dials pods by stand-ins, and nothing else that it did not dial before", func(t *testing.T) {
		var dialled string
		others := func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = "others " + address
			return nil, nil
		}
		pods := func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			dialled = "pod " + to.String()
			return nil, nil
		}
		for address, want := range map[string]string{
			"0.64.1.2:80":     "pod 127.64.1.2:80",
			"127.64.1.2:80":   "others 127.64.1.2:80", // which the guard refuses
			"0.0.0.0:80":      "others 0.0.0.0:80",
			"10.1.2.3:80":     "others 10.1.2.3:80",
			"example.org:443": "others example.org:443",
		} {
			if _, err := dialPods(others, pods)(t.Context(), "tcp", address); err != nil || dialled != want {
				t.Errorf("APP-13 a request for %s dials %s (%v), want %s", address, dialled, err, want)
			}
		}
		var simulated *guardeddial.SimulatedError
		if _, err := dialPods(others, nil)(t.Context(), "tcp", "0.64.1.2:80"); !errors.As(err, &simulated) || simulated.Address.String() != "127.64.1.2" {
			t.Errorf("APP-17 without sandboxes the error is %v", err)
		}
	})
	t.Run("APP-17 an error about simulated pods names what was asked for", func(t *testing.T) {
		for want, asked := range map[string]*request.RequestInfo{
			"Service sky/web has only simulated pods":              {Resource: "services", Namespace: "sky", Name: "https:web:443"},
			"Service sky/hook has only simulated pods":             {Resource: "services", Namespace: "sky", Name: "hook"},
			"pod sky/web-0 is simulated, so nothing answers in it": {Resource: "pods", Namespace: "sky", Name: "web-0:8080"},
		} {
			for name, pods := range map[string]func(context.Context, netip.AddrPort) (net.Conn, error){
				"without sandboxes": nil,
				"with sandboxes on other nodes": func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
					return nil, &guardeddial.SimulatedError{Address: to.Addr()}
				},
			} {
				_, err := dialPods(nil, pods)(request.WithRequestInfo(t.Context(), asked), "tcp", "0.64.1.2:80")
				if err == nil || err.Error() != want {
					t.Errorf("%s: %v, want %s", name, err, want)
				}
			}
		}
	})
}
