package shootsystem_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/coredns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy/policytest"
)

const node = "10.250.0.3"

// TestNetworkPolicies asks of everything that runs in kube-system whether it works, even if users close the namespace.
func TestNetworkPolicies(t *testing.T) {
	closed := networkingv1.NetworkPolicy{}
	closed.Namespace, closed.Spec.PolicyTypes = "kube-system", []networkingv1.PolicyType{networkingv1.PolicyTypeEgress, networkingv1.PolicyTypeIngress}
	w := policytest.World{Policies: []networkingv1.NetworkPolicy{closed}}
	for _, object := range shootsystem.NetworkPolicies(vpn.ReversedVPN().ClientSelector(), "10.250.0.0/16", "172.18.0.0/16") {
		w.Policies = append(w.Policies, *object.(*networkingv1.NetworkPolicy))
	}
	dns := nameServer(t, coredns.Objects(coredns.Values{ClusterIP: "100.64.0.10"}))
	user := policytest.Peer{Namespace: "default", Address: "100.96.0.9"}
	unlabelled := policytest.Peer{Namespace: "kube-system", Address: "100.96.0.8"}
	labelled := func(label string) policytest.Peer {
		return policytest.Peer{Namespace: "kube-system", Labels: names.Allowed("networking.gardener.cloud/" + label), Address: "100.96.0.7"}
	}
	tunnel := policytest.Peer{Namespace: "kube-system", Labels: vpn.ReversedVPN().ClientSelector(), Address: "100.96.0.6"}
	at := func(address string) policytest.Peer { return policytest.Peer{Address: address} }
	for name, tc := range map[string]struct {
		from, to policytest.Peer
		protocol corev1.Protocol
		port     int32
		blocked  bool
	}{
		"NET-3 NET-8 pods of users ask the name server":        {from: user, to: dns, protocol: corev1.ProtocolUDP, port: 8053},
		"NET-3 NET-8 the name server asks those above":         {from: dns, to: at("1.1.1.1"), protocol: corev1.ProtocolUDP, port: 53},
		"NET-3 NET-8 the name server watches the API server":   {from: dns, to: at("10.2.0.7"), port: 6443},
		"NET-3 NET-8 and so by its Service":                    {from: dns, to: at("100.64.0.1"), port: 443},
		"NET-3 NET-8 the name server is reached from the seed": {from: at(node), to: dns, port: 9153},
		"NET-3 and at no other port":                           {from: user, to: dns, port: 9153, blocked: true},
		"NET-3 the name server reaches nothing else":           {from: dns, to: at("1.1.1.1"), port: 80, blocked: true},
		"NET-3 pods without labels get what users give them":   {from: unlabelled, to: dns, protocol: corev1.ProtocolUDP, port: 8053, blocked: true},
		"NET-3 to-dns":                                           {from: labelled("to-dns"), to: dns, protocol: corev1.ProtocolUDP, port: 8053},
		"NET-3 to-kubelet":                                       {from: labelled("to-kubelet"), to: at(node), port: 10250},
		"NET-3 to-kubelet is about kubelets":                     {from: labelled("to-kubelet"), to: at(node), port: 22, blocked: true},
		"NET-3 to-public-networks":                               {from: labelled("to-public-networks"), to: at("8.8.8.8"), port: 80},
		"NET-3 from-seed lets the tunnel in":                     {from: tunnel, to: labelled("from-seed"), port: 80},
		"NET-3 NET-8 from-seed lets the tunnel's node in":        {from: at("172.18.0.9"), to: labelled("from-seed"), port: 80},
		"NET-3 from-seed lets nobody else in":                    {from: labelled("to-public-networks"), to: labelled("from-seed"), port: 80, blocked: true},
		"NET-3 the tunnel dials the seed and everything in here": {from: tunnel, to: at("172.18.0.2"), port: 8132},
		"NET-3 nobody dials the tunnel":                          {from: user, to: tunnel, port: 8132, blocked: true},
	} {
		t.Run(name, func(t *testing.T) {
			protocol := corev1.ProtocolTCP
			if tc.protocol != "" {
				protocol = tc.protocol
			}
			if why := w.Blocked(tc.from, tc.to, protocol, tc.port); (why != "") != tc.blocked {
				t.Errorf("blocked: %q", why)
			}
		})
	}
}

func nameServer(t *testing.T, objects []client.Object) policytest.Peer {
	t.Helper()
	for _, object := range objects {
		if deployment, ok := object.(*appsv1.Deployment); ok {
			return policytest.Pod(deployment.Namespace, deployment.Spec.Template, "100.96.0.5")
		}
	}
	t.Fatal("no deployment")
	return policytest.Peer{}
}
