package seeds

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/gardener-up/gardener-up/appliance/seeds/embedded"
	"github.com/gardener-up/gardener-up/appliance/seeds/remote"
	gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
)

func clusterNode(name, provider string, addresses ...corev1.NodeAddress) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{ProviderID: provider}, Status: corev1.NodeStatus{Addresses: addresses},
	}
}

func finderWith(image string) finder {
	return finder{in: Inputs{Image: image, Log: logr.Discard()}}
}

func TestHostingOfClustersElsewhere(t *testing.T) {
	node := clusterNode("a", "cloud:///a", corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.0.0.1"})
	t.Run("API-11 without a registry that has the image they are refused, with what to do", func(t *testing.T) {
		if _, err := finderWith("").findIn(t.Context(), "theirs", fake.NewClientset(node)); !errors.Is(err, remote.ErrNoImage) || !strings.Contains(err.Error(), "registry") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("API-11 with one they are served, by a front door at the address of their Service or of a node", func(t *testing.T) {
		cluster := fake.NewClientset(node)
		found, err := finderWith("registry.example.org/gardener:v1").findIn(t.Context(), "theirs", cluster)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // may be repeated
			if err := found.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		service, err := cluster.CoreV1().Services(gatewaypods.Namespace).Get(t.Context(), gatewaypods.Name, metav1.GetOptions{})
		if err != nil || service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			t.Fatalf("service is %+v, %v", service, err)
		}
		if entry, err := found.FrontDoor(t.Context()); err != nil || entry != "10.0.0.1:443" {
			t.Errorf("front door is at %q, %v", entry, err)
		}
		if way := found.Calls("provider-local"); found.CallsBack() || way.Service == nil || way.Service.Name != "landscape-callback" {
			t.Errorf("EXT-17 its API server calls webhooks at %+v, and reaches this process itself: %v", way.Service, found.CallsBack())
		}
	})
	t.Run("an embedded cluster tells its front door, a cluster without an answer is told", func(t *testing.T) {
		told := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: embedded.WaysNamespace, Name: embedded.WaysName}, Data: map[string]string{embedded.WaysFrontDoor: "127.0.0.1:1"}}
		found, err := finderWith("").findIn(t.Context(), "theirs", fake.NewClientset(told))
		if err != nil {
			t.Fatal(err)
		}
		if entry, err := found.FrontDoor(t.Context()); err != nil || entry != "127.0.0.1:1" || !found.CallsBack() || found.Calls("provider-local").Service != nil {
			t.Errorf("front door is at %q, %v", entry, err)
		}
	})
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
