package kubeapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestGuardOfWebhooks(t *testing.T) {
	tunnel := errors.New("the tunnel")
	own := &rest.Config{Host: "https://[::1]:443"}
	former := func(dial func(context.Context, string, string) (net.Conn, error)) webhook.AuthenticationInfoResolver {
		return &webhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
				if hostPort == ownAddress {
					return own, nil
				}
				return &rest.Config{Dial: dial}, nil
			},
			ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
				if name == "kubernetes" && namespace == "default" {
					return own, nil
				}
				return &rest.Config{Dial: dial}, nil
			},
		}
	}
	through := func(context.Context, string, string) (net.Conn, error) { return nil, tunnel }
	guard := &guard{hosts: []string{"some"}}
	dialled := func(t *testing.T, config *rest.Config, err error) error {
		t.Helper()
		if err != nil || config.Dial == nil || config.Proxy == nil {
			t.Fatalf("config %+v, error %v", config, err)
		}
		if proxy, err := config.Proxy(&http.Request{}); proxy != nil || err != nil {
			t.Errorf("proxy: %v, %v", proxy, err)
		}
		_, err = config.Dial(t.Context(), "tcp", "127.0.0.1:1")
		return err
	}
	var refused *guardeddial.RefusedError
	t.Run("a webhook at a URL does not reach this machine, with or without tunnel", func(t *testing.T) {
		for _, dial := range []func(context.Context, string, string) (net.Conn, error){nil, through} {
			config, err := guard.wrap(former(dial)).ClientConfigFor("127.0.0.1:1")
			if err := dialled(t, config, err); !errors.As(err, &refused) {
				t.Errorf("error is %v", err)
			}
		}
	})
	t.Run("a webhook at a Service takes the tunnel", func(t *testing.T) {
		config, err := guard.wrap(former(through)).ClientConfigForService("a", "b", 443)
		if err := dialled(t, config, err); !errors.Is(err, tunnel) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a webhook at a Service is guarded without a tunnel", func(t *testing.T) {
		config, err := guard.wrap(former(nil)).ClientConfigForService("a", "b", 443)
		if err := dialled(t, config, err); !errors.As(err, &refused) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("the server reaches itself", func(t *testing.T) {
		wrapped := guard.wrap(former(nil))
		for name, get := range map[string]func() (*rest.Config, error){
			"by URL":     func() (*rest.Config, error) { return wrapped.ClientConfigFor(ownAddress) },
			"by Service": func() (*rest.Config, error) { return wrapped.ClientConfigForService("kubernetes", "default", 443) },
		} {
			if config, err := get(); config != own || err != nil {
				t.Errorf("%s: %v, %v", name, config, err)
			}
		}
	})
}
