package policytest

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// TestBlocked tests the tests: what the API's documentation says about each field.
func TestBlocked(t *testing.T) {
	selector := func(key, value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	policy := func(spec networkingv1.NetworkPolicySpec) networkingv1.NetworkPolicy {
		return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "a"}, Spec: spec}
	}
	in, out := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}, []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}
	from := func(peers ...networkingv1.NetworkPolicyPeer) []networkingv1.NetworkPolicyIngressRule {
		return []networkingv1.NetworkPolicyIngressRule{{From: peers, Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(80))}}}}
	}
	server := Peer{Namespace: "a", Labels: map[string]string{"app": "server"}, Address: "10.0.0.1"}
	client := Peer{Namespace: "a", Labels: map[string]string{"app": "client"}, Address: "10.0.0.2"}
	stranger := Peer{Namespace: "b", Labels: map[string]string{"app": "client"}, Address: "10.0.0.3"}
	node := Peer{Address: "192.168.0.1"}
	for name, tc := range map[string]struct {
		policies []networkingv1.NetworkPolicy
		from, to Peer
		port     int32
		blocked  bool
	}{
		"nothing is closed without policies":             {from: client, to: server, port: 80},
		"a policy closes what it selects":                {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in})}, from: client, to: server, port: 80, blocked: true},
		"a policy for ways in lets everything out":       {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in})}, from: server, to: stranger, port: 80},
		"a policy for ways out":                          {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: out})}, from: client, to: node, port: 80, blocked: true},
		"pods that are not selected stay open":           {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, PodSelector: *selector("app", "other")})}, from: client, to: server, port: 80},
		"pods of the namespace are let in":               {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{PodSelector: selector("app", "client")})})}, from: client, to: server, port: 80},
		"but not at other ports":                         {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{PodSelector: selector("app", "client")})})}, from: client, to: server, port: 81, blocked: true},
		"nor the same pods of another namespace":         {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{PodSelector: selector("app", "client")})})}, from: stranger, to: server, port: 80, blocked: true},
		"unless their namespace is selected":             {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{PodSelector: selector("app", "client"), NamespaceSelector: selector("name", "b")})})}, from: stranger, to: server, port: 80},
		"labels do not select a node":                    {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{}})})}, from: node, to: server, port: 80, blocked: true},
		"a rule without peers is for everybody":          {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from()})}, from: node, to: server, port: 80},
		"a range":                                        {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "192.168.0.0/16"}})})}, from: node, to: server, port: 80},
		"a range without the part that it does not have": {policies: []networkingv1.NetworkPolicy{policy(networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: from(networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "192.168.0.0/16", Except: []string{"192.168.0.0/24"}}})})}, from: node, to: server, port: 80, blocked: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := World{Namespaces: map[string]map[string]string{"a": {"name": "a"}, "b": {"name": "b"}}, Policies: tc.policies}
			if why := w.Blocked(tc.from, tc.to, corev1.ProtocolTCP, tc.port); (why != "") != tc.blocked {
				t.Errorf("blocked: %q", why)
			}
		})
	}
}
