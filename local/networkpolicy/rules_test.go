package networkpolicy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func pod(name, ip string, change func(*corev1.Pod)) *corev1.Pod {
	namespace, app, _ := strings.Cut(name, "/")
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app, Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{NodeName: "here", Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: 8080}}}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip},
	}
	if change != nil {
		change(p)
	}
	return p
}

func app(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

// world has three pods in two namespaces; a is what policies are about.
func world(spec networkingv1.NetworkPolicySpec) World {
	spec.PodSelector = *app("a")
	return World{
		Node: "here",
		Namespaces: []*corev1.Namespace{
			{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"number": "1"}}},
			{ObjectMeta: metav1.ObjectMeta{Name: "two", Labels: map[string]string{"number": "2"}}},
		},
		Pods:     []*corev1.Pod{pod("one/a", "10.0.0.1", nil), pod("one/b", "10.0.0.2", nil), pod("two/b", "10.0.0.3", nil)},
		Policies: []*networkingv1.NetworkPolicy{{ObjectMeta: metav1.ObjectMeta{Namespace: "one", Name: "p"}, Spec: spec}},
	}
}

// matchesOf are the matches of the only group of a direction; nil if there is no group.
func matchesOf(rules string, d direction) []string {
	_, rest, found := strings.Cut(rules, "\tchain "+d.name+"-0 {\n")
	if !found {
		return nil
	}
	body, _, _ := strings.Cut(rest, "\t}\n")
	out := []string{}
	for line := range strings.Lines(body) {
		match, _, _ := strings.Cut(strings.TrimSpace(line), "return comment")
		out = append(out, strings.TrimSpace(match))
	}
	return out
}

func TestMatches(t *testing.T) {
	in, out := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}, []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}
	peer := func(peers ...networkingv1.NetworkPolicyPeer) []networkingv1.NetworkPolicyPeer { return peers }
	port := func(p intstr.IntOrString) []networkingv1.NetworkPolicyPort {
		return []networkingv1.NetworkPolicyPort{{Port: &p}}
	}
	two := &metav1.LabelSelector{MatchLabels: map[string]string{"number": "2"}}
	for name, tc := range map[string]struct {
		spec            networkingv1.NetworkPolicySpec
		egress, ingress []string
	}{
		"a policy without rules closes":      {spec: networkingv1.NetworkPolicySpec{PolicyTypes: in}, ingress: []string{"drop"}},
		"a direction without policy is open": {spec: networkingv1.NetworkPolicySpec{PolicyTypes: out}, egress: []string{"drop"}},
		"an empty rule opens":                {spec: networkingv1.NetworkPolicySpec{PolicyTypes: out, Egress: []networkingv1.NetworkPolicyEgressRule{{}}}, egress: []string{"", "drop"}},
		"pods are those of the policy's namespace": {
			spec:    networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: []networkingv1.NetworkPolicyIngressRule{{From: peer(networkingv1.NetworkPolicyPeer{PodSelector: app("b")})}}},
			ingress: []string{"ip saddr { 10.0.0.2 }", "drop"},
		},
		"pods and namespaces both have to match": {
			spec: networkingv1.NetworkPolicySpec{PolicyTypes: out, Egress: []networkingv1.NetworkPolicyEgressRule{{
				To: peer(networkingv1.NetworkPolicyPeer{PodSelector: app("b"), NamespaceSelector: two}), Ports: port(intstr.FromInt32(53)),
			}}},
			egress: []string{"ip daddr { 10.0.0.3 } tcp dport 53", "drop"},
		},
		"peers that nobody is let nobody through": {
			spec:    networkingv1.NetworkPolicySpec{PolicyTypes: in, Ingress: []networkingv1.NetworkPolicyIngressRule{{From: peer(networkingv1.NetworkPolicyPeer{PodSelector: app("c")})}}},
			ingress: []string{"drop"},
		},
		"ranges have exceptions, and those of IPv6 are left out": {
			spec: networkingv1.NetworkPolicySpec{PolicyTypes: out, Egress: []networkingv1.NetworkPolicyEgressRule{{To: peer(
				networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"10.0.0.0/8", "169.254.0.0/16"}}},
				networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "172.16.1.0/12"}},
				networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "::/0"}},
			)}}},
			egress: []string{"ip daddr != 10.0.0.0/8 ip daddr != 169.254.0.0/16", "ip daddr 172.16.0.0/12", "drop"},
		},
		"a named port is that of the pod that is connected to": {
			spec: networkingv1.NetworkPolicySpec{
				PolicyTypes: slices.Concat(in, out),
				Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: port(intstr.FromString("web"))}},
				Egress:      []networkingv1.NetworkPolicyEgressRule{{Ports: port(intstr.FromString("dns"))}},
			},
			ingress: []string{"ip daddr . tcp dport { 10.0.0.1 . 8080 }", "drop"}, egress: []string{"drop"},
		},
		"a port is a number, a range, or all of a protocol": {
			spec: networkingv1.NetworkPolicySpec{PolicyTypes: out, Egress: []networkingv1.NetworkPolicyEgressRule{{Ports: []networkingv1.NetworkPolicyPort{
				{Protocol: ptr.To(corev1.ProtocolUDP), Port: ptr.To(intstr.FromInt32(53))},
				{Port: ptr.To(intstr.FromInt32(80)), EndPort: ptr.To[int32](90)},
				{Protocol: ptr.To(corev1.ProtocolSCTP)},
			}}}},
			egress: []string{"udp dport 53", "tcp dport 80-90", "meta l4proto sctp", "drop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rules := Rules(world(tc.spec))
			if diff := cmp.Diff(tc.egress, matchesOf(rules, egress)); diff != "" {
				t.Errorf("egress (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.ingress, matchesOf(rules, ingress)); diff != "" {
				t.Errorf("ingress (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhoIsClosed(t *testing.T) {
	closed := networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}}
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"a pod of the node":                          {want: true},
		"not a pod of another node":                  {change: func(p *corev1.Pod) { p.Spec.NodeName = "there" }},
		"not a pod that has ended":                   {change: func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }},
		"not a pod in the network of the node":       {change: func(p *corev1.Pod) { p.Spec.HostNetwork = true }},
		"not a pod without an address":               {change: func(p *corev1.Pod) { p.Status.PodIP = "" }},
		"not a pod that the policy does not select":  {change: func(p *corev1.Pod) { p.Labels = nil }},
		"not a pod of another namespace than policy": {change: func(p *corev1.Pod) { p.Namespace = "two" }},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(closed)
			w.Pods[0] = pod("one/a", "10.0.0.1", tc.change)
			if got := strings.Contains(Rules(w), "10.0.0.1 : jump ingress-0"); got != tc.want {
				t.Errorf("closed %t, want %t:\n%s", got, tc.want, Rules(w))
			}
		})
	}
}

func TestRulesIsOneStep(t *testing.T) {
	w := world(networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}})
	w.Resolvers = []string{"172.18.0.1"}
	want := `table ip podnet
delete table ip podnet
table ip podnet {
	chain egress-0 {
		drop
	}
	chain egress {
		ct state established,related return
		ip saddr . ip daddr { 10.0.0.1 . 10.0.0.1 } return
		ip saddr vmap { 10.0.0.1 : jump egress-0 }
	}
	chain ingress {
		ct state established,related return
	}
	chain prerouting {
		type filter hook prerouting priority -150
		ip daddr { 172.18.0.1 } jump egress
	}
	chain forward {
		type filter hook forward priority -5
		jump egress
		jump ingress
	}
	chain input {
		type filter hook input priority -5
		ip daddr 127.0.0.0/8 return
		jump egress
	}
}
`
	if diff := cmp.Diff(want, Rules(w)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	slices.Reverse(w.Pods)
	if diff := cmp.Diff(want, Rules(w)); diff != "" {
		t.Errorf("rules in another order (-want +got):\n%s", diff)
	}
}
