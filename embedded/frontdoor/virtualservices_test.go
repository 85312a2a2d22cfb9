package frontdoor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	istiov1beta1 "github.com/gardener-up/gardener-up/embedded/apis/istio/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

func TestVirtualServices(t *testing.T) {
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	scheme := runtime.NewScheme()
	if err := istiov1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	source, err := frontdoor.NewVirtualServices(env.Config, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	p := newParty(t)
	backends := map[string]string{
		"kube-apiserver.shoot-a.svc.cluster.local:443": p.backend(t, "a", "api.a.test"),
		"kube-apiserver.shoot-b.svc.cluster.local:443": p.backend(t, "b", "api.b.test"),
	}
	door := func(source frontdoor.RouteSource) string {
		_, address := open(t, frontdoor.Config{
			Sources: []frontdoor.RouteSource{source},
			Resolve: func(_ context.Context, host string, port int) (string, error) {
				if backend, ok := backends[fmt.Sprintf("%s:%d", host, port)]; ok {
					return backend, nil
				}
				return "", fmt.Errorf("unknown %s:%d", host, port)
			},
		})
		return address
	}
	address := door(source)

	// The front door is open before the kind exists, as it is while a landscape starts.
	definitions, err := crds.Istio()
	if err != nil {
		t.Fatal(err)
	}
	if err := testenv.InstallCRDs(t.Context(), env.Config, definitions); err != nil {
		t.Fatal(err)
	}
	a := virtualService("shoot-a", "api.a.test")
	create(t, c, a)
	env.Until(t, "the route to shoot a", func(context.Context) error { _, err := p.dial(t, address, "api.a.test"); return err })

	t.Run("SNI-2 the VirtualService of a shoot routes to its API server", func(t *testing.T) {
		if got := p.ask(t, address, "api.a.test"); got != "a jane hello" {
			t.Errorf("got %q", got)
		}
		if _, err := p.dial(t, address, "api.b.test"); !isAlert(err, 112) {
			t.Errorf("a shoot that is not there: got %v", err)
		}
	})

	t.Run("SNI-5 changed routes leave open connections alone", func(t *testing.T) {
		conn, err := p.dial(t, address, "api.a.test")
		if err != nil {
			t.Fatal(err)
		}
		say(t, conn, "before")
		create(t, c, virtualService("shoot-b", "api.b.test", "api.a.test")) // the second name is taken by an older object
		env.Until(t, "the route to shoot b", func(context.Context) error { _, err := p.dial(t, address, "api.b.test"); return err })
		if got := p.ask(t, address, "api.a.test"); got != "a jane hello" {
			t.Errorf("got %q, want the older owner of the name", got)
		}
		if err := c.Delete(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		env.Until(t, "the route to shoot a to go", func(context.Context) error {
			probe, err := p.dial(t, address, "api.a.test")
			if err == nil {
				_ = probe.Close()
				return errors.New("still there")
			}
			return nil
		})
		if got := say(t, conn, "after"); got != "a jane after" {
			t.Errorf("got %q", got)
		}
	})

	t.Run("PRT-4 a front door has the API servers of its own Gateways, and no others", func(t *testing.T) {
		doors, names := map[string]string{}, map[string]string{"usual": "api.b.test", "internet": "api.a.test"}
		sources, namespaces := map[string]*frontdoor.VirtualServices{}, map[string]string{"usual": "default", "internet": "kube-system"}
		for gateway, name := range names {
			selector := map[string]string{"app": "ingress", "handler": gateway}
			create(t, c, &istiov1beta1.Gateway{ObjectMeta: metav1.ObjectMeta{Namespace: namespaces[gateway], Name: gateway}, Spec: istiov1beta1.GatewaySpec{Selector: selector}})
			service := virtualService("shoot-"+name[4:5], name)
			service.Namespace, service.Name, service.Spec.Gateways = namespaces[gateway], gateway, []string{gateway}
			create(t, c, service)
			own, err := frontdoor.NewVirtualServices(env.Config, logr.Discard())
			if err != nil {
				t.Fatal(err)
			}
			doors[gateway], sources[gateway] = door(own.Of(selector)), own
		}
		for gateway, address := range doors {
			env.Until(t, "the route of "+gateway, func(context.Context) error { _, err := p.dial(t, address, names[gateway]); return err })
			for other, name := range names {
				if _, err := p.dial(t, address, name); other != gateway && !isAlert(err, 112) {
					t.Errorf("%s leads to %s of %s: %v", gateway, name, other, err)
				}
				if got := sources[gateway].Serves(namespaces[other]); got != (other == gateway) {
					t.Errorf("%s serves namespace %s: %t", gateway, namespaces[other], got)
				}
			}
		}
	})
}

func virtualService(namespace string, names ...string) *istiov1beta1.VirtualService {
	return &istiov1beta1.VirtualService{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: namespace},
		Spec: istiov1beta1.VirtualServiceSpec{
			Hosts: names,
			TLS: []istiov1beta1.TLSRoute{{
				Match: []istiov1beta1.TLSMatchAttributes{{SniHosts: names}},
				Route: []istiov1beta1.RouteDestination{{Destination: istiov1beta1.Destination{
					Host: "kube-apiserver." + namespace + ".svc.cluster.local",
					Port: &istiov1beta1.PortSelector{Number: 443},
				}}},
			}},
		},
	}
}

func create(t *testing.T, c client.Client, obj client.Object) {
	t.Helper()
	if err := c.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}
