package frontdoor

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

// configuration has the handlers given.
func configuration(handlers ...string) *config.GardenletConfiguration {
	c := &config.GardenletConfiguration{}
	for _, name := range handlers {
		c.ExposureClassHandlers = append(c.ExposureClassHandlers, config.ExposureClassHandler{Name: name})
	}
	config.SetDefaults(c)
	return c
}

func setOf(t *testing.T, g Gateway) *appsv1.DaemonSet {
	t.Helper()
	for _, object := range g.Objects() {
		if set, ok := object.(*appsv1.DaemonSet); ok {
			return set
		}
	}
	t.Fatal("no daemon set")
	return nil
}

func TestGateways(t *testing.T) {
	t.Run("PRT-1 a seed without handlers has one gateway, for all shoots", func(t *testing.T) {
		gateways := Gateways(configuration(), "gardener", nil)
		if len(gateways) != 1 {
			t.Fatalf("gateways %+v", gateways)
		}
		set := setOf(t, gateways[0])
		want := []string{"component", "front-door", "--bind-address=:443", "--proxy-protocol-address=:8443", "--tunnel-address=:8132"}
		if diff := cmp.Diff(want, set.Spec.Template.Spec.Containers[0].Args); diff != "" || set.Namespace != "istio-ingress" {
			t.Errorf("namespace %s, arguments (-want +got):\n%s", set.Namespace, diff)
		}
	})
	gateways := Gateways(configuration("edge"), "gardener", map[string]Ports{"edge": {TLS: 543, Proxy: 8543, Tunnel: 8232}})
	if len(gateways) != 2 {
		t.Fatalf("gateways %+v", gateways)
	}
	t.Run("PRT-4 a handler has a gateway in a namespace of its own, for its shoots alone", func(t *testing.T) {
		set := setOf(t, gateways[1])
		want := []string{
			"component", "front-door", "--bind-address=:543", "--proxy-protocol-address=:8543", "--tunnel-address=:8232",
			"--gateway-selector=app=istio-ingressgateway,gardener.cloud/role=exposureclass-handler,handler.exposureclass.gardener.cloud/name=edge,istio=ingressgateway",
			"--service-names=false",
		}
		if diff := cmp.Diff(want, set.Spec.Template.Spec.Containers[0].Args); diff != "" || set.Namespace != "istio-ingress-handler-edge" {
			t.Errorf("namespace %s, arguments (-want +got):\n%s", set.Namespace, diff)
		}
		for _, port := range set.Spec.Template.Spec.Containers[0].Ports {
			if !slices.Contains([]int32{543, 8543, 8232}, port.HostPort) {
				t.Errorf("port %d of the node", port.HostPort)
			}
		}
		for key, value := range set.Spec.Selector.MatchLabels {
			if set.Spec.Template.Labels[key] != value {
				t.Errorf("the pods lack label %s=%s", key, value)
			}
		}
	})
	t.Run("PRT-4 the usual gateway leaves the shoots of handlers alone", func(t *testing.T) {
		args := setOf(t, gateways[0]).Spec.Template.Spec.Containers[0].Args
		if !slices.Contains(args, "--gateway-selector=app=istio-ingressgateway,istio=ingressgateway") {
			t.Errorf("arguments %q", args)
		}
	})
	t.Run("PRT-4 gateways do not share what is outside of their namespaces, but the role", func(t *testing.T) {
		names := map[string]int{}
		for _, gateway := range gateways {
			for _, object := range gateway.Objects() {
				if object.GetNamespace() == "" {
					names[object.GetName()]++
				}
			}
		}
		want := map[string]int{"istio-ingress": 1, "istio-ingress-handler-edge": 1, "gardener.cloud:front-door": 3, "gardener.cloud:front-door:edge": 1}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

func TestStale(t *testing.T) {
	namespaceOf := func(g Gateway) *corev1.Namespace { return g.Objects()[0].(*corev1.Namespace) }
	before := Gateways(configuration("edge", "old"), "gardener", nil)
	moved := configuration("edge")
	elsewhere := "elsewhere"
	moved.ExposureClassHandlers[0].SNI.Ingress.Namespace = &elsewhere
	for name, tc := range map[string]struct {
		namespace *corev1.Namespace
		now       *config.GardenletConfiguration
		want      []string
	}{
		"PRT-4 the gateway of a handler stays":              {namespaceOf(before[1]), configuration("edge"), nil},
		"PRT-4 that of a handler that has gone goes":        {namespaceOf(before[2]), configuration("edge"), []string{"gardener.cloud:front-door:old", "istio-ingress-handler-old"}},
		"PRT-4 that of a handler that moves leaves nothing": {namespaceOf(before[1]), moved, []string{"istio-ingress-handler-edge"}},
		"the usual gateway stays":                           {namespaceOf(before[0]), configuration(), nil},
		"namespaces of others stay": {&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: "mine", Labels: map[string]string{"handler.exposureclass.gardener.cloud/name": "old"},
		}}, configuration(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, object := range Stale(tc.namespace, Gateways(tc.now, "gardener", nil)) {
				got = append(got, object.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("stale (-want +got):\n%s", diff)
			}
		})
	}
}
