package appliance

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/gardener-up/gardener-up/appliance/config"
	gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
)

func clusterNode(name, provider string, addresses ...corev1.NodeAddress) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: provider}, Status: corev1.NodeStatus{Addresses: addresses},
	}
}

func seedsWith(image string) *seeds {
	cfg := &config.Landscape{Image: image}
	config.SetDefaults(cfg)
	return newSeeds(&appliance{Options: Options{Config: cfg, Log: logr.Discard()}}, nil)
}

func TestHostingOfClustersElsewhere(t *testing.T) {
	node := clusterNode("a", "cloud:///a", corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.0.0.1"})
	t.Run("API-11 without a registry that has the image they are refused, with what to do", func(t *testing.T) {
		if _, err := seedsWith("").hostingIn(t.Context(), "theirs", fake.NewClientset(node)); !errors.Is(err, errNoImage) || !strings.Contains(err.Error(), "registry") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("API-11 with one they are served, by a front door at the address of their Service or of a node", func(t *testing.T) {
		cluster := fake.NewClientset(node)
		found, err := seedsWith("registry.example.org/gardener:v1").hostingIn(t.Context(), "theirs", cluster)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // may be repeated
			if err := found.prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		service, err := cluster.CoreV1().Services(gatewaypods.Namespace).Get(t.Context(), gatewaypods.Name, metav1.GetOptions{})
		if err != nil || service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			t.Fatalf("service is %+v, %v", service, err)
		}
		if entry, err := found.frontDoor(t.Context()); err != nil || entry != "10.0.0.1:443" {
			t.Errorf("front door is at %q, %v", entry, err)
		}
		if found.callsBack() {
			t.Error("its API server is taken to reach this process")
		}
	})
	t.Run("an embedded cluster tells its front door, a cluster without an answer is told", func(t *testing.T) {
		told := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: waysNamespace, Name: waysName}, Data: map[string]string{waysFrontDoor: "127.0.0.1:1"}}
		found, err := seedsWith("").hostingIn(t.Context(), "theirs", fake.NewClientset(told))
		if err != nil {
			t.Fatal(err)
		}
		if entry, err := found.frontDoor(t.Context()); err != nil || entry != "127.0.0.1:1" || !found.callsBack() {
			t.Errorf("front door is at %q, %v", entry, err)
		}
	})
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

func TestKindNode(t *testing.T) {
	nodes := []corev1.Node{*clusterNode("a", "cloud:///a"), *clusterNode("b", "kind://docker/x/b")}
	if got := kindNode(nodes); got == nil || got.Name != "b" {
		t.Errorf("found %v", got)
	}
	if got := kindNode(nodes[:1]); got != nil {
		t.Errorf("found %s", got.Name)
	}
}

func TestLookup(t *testing.T) {
	asked, fails := 0, true
	l := &lookup{find: func(context.Context) (string, error) {
		if asked++; fails {
			return "", errors.New("not yet")
		}
		return "there", nil
	}}
	if _, err := l.get(t.Context()); err == nil {
		t.Error("a failure is not told")
	}
	fails = false
	for range 2 {
		if got, err := l.get(t.Context()); err != nil || got != "there" {
			t.Errorf("found %q, %v", got, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want once after the failure", asked)
	}
}
