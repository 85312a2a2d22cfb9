package networkpolicy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy/policytest"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func networks() Networks {
	return Networks{
		Seed: []string{"172.18.0.0/16", "10.1.0.0/16", "10.2.0.0/16"}, Blocked: []string{"10.1.7.0/24", "192.168.1.0/24", "198.51.100.0/24"},
		Shoot: []string{"10.1.8.0/24", "100.64.0.0/13", "172.18.0.0/16"}, APIServer: []Endpoint{{Address: "172.18.0.2", Port: 6443}, {Address: "fd00::2", Port: 6443}}, DNS: []string{"10.2.0.10"}, Garden: Garden{Address: "10.2.0.11"},
	}
}

func TestPolicies(t *testing.T) {
	policies := Policies("n", networks())
	if last := policies[len(policies)-1].Name; last != DenyAll {
		t.Errorf("NET-1 the namespace is closed last, but %s is", last)
	}
	w := policytest.World{Namespaces: map[string]map[string]string{"kube-system": {"kubernetes.io/metadata.name": "kube-system"}}}
	for _, policy := range policies {
		w.Policies = append(w.Policies, *policy)
	}
	for name, tc := range map[string]struct {
		label   string
		open    []string
		blocked []string
		port    int32
	}{
		"NET-2 to-dns opens the Service of name servers": {label: "networking.gardener.cloud/to-dns", port: 53, open: []string{"10.2.0.10"}, blocked: []string{"10.2.0.11", "8.8.8.8"}},
		"NET-2 NET-7 to-runtime-apiserver opens its addresses and port": {
			label: "networking.gardener.cloud/to-runtime-apiserver", port: 6443, open: []string{"172.18.0.2", "fd00::2"}, blocked: []string{"172.18.0.3", "10.2.0.1"},
		},
		"NET-7 no other port of them": {label: "networking.gardener.cloud/to-runtime-apiserver", port: 22, blocked: []string{"172.18.0.2"}},
		"NET-2 NET-5 to-public-networks opens what is neither private nor blocked": {
			label: "networking.gardener.cloud/to-public-networks", port: 443, open: []string{"8.8.8.8", "198.51.101.1", "2001:db8::1"},
			blocked: []string{"10.9.0.1", "172.18.0.2", "192.168.2.1", "100.64.0.1", "198.51.100.1", "169.254.169.254", "127.0.0.1", "fd00::9"},
		},
		"NET-2 to-public-networks opens the garden, where that has an address of the seed": {label: "networking.gardener.cloud/to-public-networks", port: 443, open: []string{"10.2.0.11"}, blocked: []string{"10.2.0.12"}},
		"NET-2 it opens no other port of the garden":                                       {label: "networking.gardener.cloud/to-public-networks", port: 444, blocked: []string{"10.2.0.11"}},
		"NET-2 NET-4 NET-5 to-private-networks opens what is not the seed's, the shoot's, or blocked": {
			label: "networking.gardener.cloud/to-private-networks", port: 443, open: []string{"10.9.0.1", "172.19.0.1", "192.168.2.1", "100.72.0.1", "fd00::9"},
			blocked: []string{"8.8.8.8", "172.18.0.2", "10.1.0.1", "10.1.7.1", "10.2.0.1", "192.168.1.1", "100.64.0.1"},
		},
		"NET-5 to-blocked-cidrs opens just them": {label: "networking.gardener.cloud/to-blocked-cidrs", port: 443, open: []string{"10.1.7.1", "192.168.1.1", "198.51.100.1"}, blocked: []string{"8.8.8.8", "10.9.0.1"}},
		"NET-2 to-shoot-networks opens the shoot, but not the seed's API server beside its nodes": {
			label: names.ReachShoot, port: 10250, open: []string{"10.1.8.9", "100.64.0.1", "172.18.0.9"}, blocked: []string{"10.1.9.9", "8.8.8.8", "172.18.0.2"},
		},
		"NET-1 another label opens nothing": {label: "app", port: 443, blocked: []string{"8.8.8.8", "10.9.0.1", "10.2.0.10", "172.18.0.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			pod := policytest.Peer{Namespace: "n", Labels: names.Allowed(tc.label), Address: "10.1.0.99"}
			for _, address := range tc.open {
				if why := w.Blocked(pod, policytest.Peer{Address: address}, corev1.ProtocolTCP, tc.port); why != "" {
					t.Errorf("%s: %s", address, why)
				}
			}
			for _, address := range tc.blocked {
				if w.Blocked(pod, policytest.Peer{Address: address}, corev1.ProtocolTCP, tc.port) == "" {
					t.Errorf("%s is open", address)
				}
			}
		})
	}
}

func TestGardenBehindPods(t *testing.T) {
	n := networks()
	n.Garden = Garden{Address: "10.2.0.11", Namespace: "garden", Pods: map[string]string{"app": "landscape-callback"}, Port: intstr.FromInt32(8443)}
	w := policytest.World{Namespaces: map[string]map[string]string{
		"garden": {"kubernetes.io/metadata.name": "garden"}, "other": {"kubernetes.io/metadata.name": "other"},
	}}
	for _, policy := range Policies("n", n) {
		w.Policies = append(w.Policies, *policy)
	}
	way := policytest.Peer{Namespace: "garden", Labels: n.Garden.Pods, Address: "10.1.0.5"}
	for name, tc := range map[string]struct {
		label string
		to    policytest.Peer
		port  int32
		open  bool
	}{
		"NET-2 GLT-22 to-public-networks opens the pods behind the Service of the garden": {"networking.gardener.cloud/to-public-networks", way, 8443, true},
		"NET-2 and the Service itself":            {"networking.gardener.cloud/to-public-networks", policytest.Peer{Address: "10.2.0.11"}, 443, true},
		"NET-2 no other port of these pods":       {"networking.gardener.cloud/to-public-networks", way, 10250, false},
		"NET-2 no pods of this name elsewhere":    {"networking.gardener.cloud/to-public-networks", policytest.Peer{Namespace: "other", Labels: n.Garden.Pods, Address: "10.1.0.6"}, 8443, false},
		"NET-2 no other pods of the namespace":    {"networking.gardener.cloud/to-public-networks", policytest.Peer{Namespace: "garden", Labels: map[string]string{"app": "other"}, Address: "10.1.0.7"}, 8443, false},
		"NET-2 other labels do not open the pods": {"networking.gardener.cloud/to-dns", way, 8443, false},
		"NET-2 nor do those for private networks": {"networking.gardener.cloud/to-private-networks", way, 8443, false},
	} {
		t.Run(name, func(t *testing.T) {
			pod := policytest.Peer{Namespace: "n", Labels: names.Allowed(tc.label), Address: "10.1.0.99"}
			if why := w.Blocked(pod, tc.to, corev1.ProtocolTCP, tc.port); (why == "") != tc.open {
				t.Errorf("open: %v, want %v: %s", why == "", tc.open, why)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	for name, tc := range map[string]struct {
		ranges, without []string
		want            []networkingv1.NetworkPolicyPeer
	}{
		"exceptions are sorted, and named once": {
			ranges: []string{"10.0.0.0/8"}, without: []string{"10.2.0.0/16", "10.1.0.0/16", "10.2.3.0/24", "10.1.0.0/16", "172.16.0.0/16"},
			want: []networkingv1.NetworkPolicyPeer{ipBlock("10.0.0.0/8", []string{"10.1.0.0/16", "10.2.0.0/16"})},
		},
		"a range that is excepted as a whole is left out": {
			ranges: []string{"10.0.0.0/8", "192.168.0.0/16"}, without: []string{"10.0.0.0/8"}, want: []networkingv1.NetworkPolicyPeer{ipBlock("192.168.0.0/16", nil)},
		},
		"what is no range is ignored": {ranges: []string{"x", "10.1.2.3/8"}, without: []string{"y"}, want: []networkingv1.NetworkPolicyPeer{ipBlock("10.0.0.0/8", nil)}},
		"families do not meet":        {ranges: []string{"0.0.0.0/0"}, without: []string{"fd00::/8"}, want: []networkingv1.NetworkPolicyPeer{ipBlock("0.0.0.0/0", nil)}},
		"nothing is left":             {ranges: []string{"10.0.0.0/8"}, without: []string{"0.0.0.0/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []networkingv1.NetworkPolicyPeer
			for _, rule := range blocks(tc.ranges, tc.without) {
				got = append(got, rule.To...)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("peers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShootRanges(t *testing.T) {
	shoot := &gardencorev1beta1.Shoot{}
	shoot.Spec.Networking = &gardencorev1beta1.Networking{Pods: ptr.To("10.3.0.0/16")}
	shoot.Status.Networking = &gardencorev1beta1.NetworkingStatus{Pods: []string{"10.3.0.0/16"}, Nodes: []string{"10.0.0.0/16"}}
	if diff := cmp.Diff([]string{"10.0.0.0/16", "10.3.0.0/16"}, shootRanges(shoot)); diff != "" {
		t.Errorf("ranges (-want +got):\n%s", diff)
	}
}
