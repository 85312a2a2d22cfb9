package networkpolicy_test

import (
	"errors"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/gardener-up/gardener-up/embedded/networkpolicy"
)

// cluster has the namespaces one and two, with the label number, and policies in namespace one.
type cluster []*networkingv1.NetworkPolicy

func (c cluster) Policies(namespace string) []*networkingv1.NetworkPolicy {
	if namespace != "one" {
		return nil
	}
	return c
}

func (c cluster) Namespace(name string) (map[string]string, bool) {
	return map[string]string{"number": name}, name == "one" || name == "two"
}

func end(namespace, name, address string) networkpolicy.End {
	return networkpolicy.End{Address: netip.MustParseAddr(address), Pod: &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: 8080}}}}},
	}}
}

var (
	a       = end("one", "a", "127.128.0.2")
	b       = end("one", "b", "127.128.0.3")
	far     = end("two", "b", "127.128.0.4")
	outside = networkpolicy.End{Address: netip.MustParseAddr("93.184.216.34")}
)

func app(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func number(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"number": name}}
}

type (
	peer = networkingv1.NetworkPolicyPeer
	port = networkingv1.NetworkPolicyPort
)

// policy selects pod a in both directions. Its one rule in each direction has the peers and ports; without a rule it denies all.
func policy(rule bool, peers []peer, ports []port) *networkingv1.NetworkPolicy {
	p := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "one"}, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: *app("a"), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
	}}
	if rule {
		p.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{To: peers, Ports: ports}}
		p.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{From: peers, Ports: ports}}
	}
	return p
}

func block(cidr string, except ...string) []peer {
	return []peer{{IPBlock: &networkingv1.IPBlock{CIDR: cidr, Except: except}}}
}

func TestPeers(t *testing.T) {
	denied := policy(false, nil, nil)
	for name, tc := range map[string]struct {
		policies cluster
		other    networkpolicy.End
		allowed  bool
	}{
		"without policies everybody is allowed":          {nil, far, true},
		"a policy without rules denies all":              {cluster{denied}, b, false},
		"a pod reaches itself":                           {cluster{denied}, a, true},
		"a rule without peers allows everybody":          {cluster{policy(true, nil, nil)}, outside, true},
		"one policy of several is enough":                {cluster{denied, policy(true, nil, nil)}, b, true},
		"pods by label":                                  {cluster{policy(true, []peer{{PodSelector: app("b")}}, nil)}, b, true},
		"pods by label mean those of the same namespace": {cluster{policy(true, []peer{{PodSelector: app("b")}}, nil)}, far, false},
		"other pods by label":                            {cluster{policy(true, []peer{{PodSelector: app("c")}}, nil)}, b, false},
		"namespaces by label":                            {cluster{policy(true, []peer{{NamespaceSelector: number("two")}}, nil)}, far, true},
		"other namespaces by label":                      {cluster{policy(true, []peer{{NamespaceSelector: number("two")}}, nil)}, b, false},
		"all namespaces":                                 {cluster{policy(true, []peer{{NamespaceSelector: &metav1.LabelSelector{}}}, nil)}, far, true},
		"pods in namespaces":                             {cluster{policy(true, []peer{{NamespaceSelector: number("two"), PodSelector: app("b")}}, nil)}, far, true},
		"pods in namespaces need both":                   {cluster{policy(true, []peer{{NamespaceSelector: number("two"), PodSelector: app("c")}}, nil)}, far, false},
		"selectors never mean what is no pod":            {cluster{policy(true, []peer{{NamespaceSelector: &metav1.LabelSelector{}}}, nil)}, outside, false},
		"a range":                                        {cluster{policy(true, block("93.184.0.0/16"), nil)}, outside, true},
		"a range without an exception":                   {cluster{policy(true, block("93.184.0.0/16", "93.184.216.0/24"), nil)}, outside, false},
		"another range":                                  {cluster{policy(true, block("10.0.0.0/8"), nil)}, outside, false},
		"a range that contains a pod":                    {cluster{policy(true, block("127.128.0.0/16"), nil)}, b, true},
	} {
		t.Run("APP-15 "+name, func(t *testing.T) {
			out := networkpolicy.Egress(tc.policies, networkpolicy.Connection{From: a, To: tc.other, Protocol: corev1.ProtocolTCP, Port: 80})
			in := networkpolicy.Ingress(tc.policies, networkpolicy.Connection{From: tc.other, To: a, Protocol: corev1.ProtocolTCP, Port: 80})
			if (out == nil) != tc.allowed || (in == nil) != tc.allowed {
				t.Errorf("egress: %v, ingress: %v", out, in)
			}
		})
	}
}

func TestPorts(t *testing.T) {
	udp, name, eighty, web := corev1.ProtocolUDP, intstr.FromString("web"), intstr.FromInt32(80), int32(8080)
	to := func(p port) cluster { return cluster{policy(true, nil, []port{p})} }
	for name, tc := range map[string]struct {
		policies cluster
		protocol corev1.Protocol
		port     int32
		allowed  bool
	}{
		"a number":                        {to(port{Port: &eighty}), corev1.ProtocolTCP, 80, true},
		"another number":                  {to(port{Port: &eighty}), corev1.ProtocolTCP, 81, false},
		"TCP is meant without a protocol": {to(port{Port: &eighty}), udp, 80, false},
		"another protocol":                {to(port{Protocol: &udp}), udp, 53, true},
		"the end of a range":              {to(port{Port: &eighty, EndPort: &web}), corev1.ProtocolTCP, 8080, true},
		"beyond the end of a range":       {to(port{Port: &eighty, EndPort: &web}), corev1.ProtocolTCP, 8081, false},
		"a name":                          {to(port{Port: &name}), corev1.ProtocolTCP, 8080, true},
		"a name of another port":          {to(port{Port: &name}), corev1.ProtocolTCP, 80, false},
	} {
		t.Run("APP-15 "+name, func(t *testing.T) {
			out := networkpolicy.Egress(tc.policies, networkpolicy.Connection{From: a, To: b, Protocol: tc.protocol, Port: tc.port})
			in := networkpolicy.Ingress(tc.policies, networkpolicy.Connection{From: b, To: a, Protocol: tc.protocol, Port: tc.port})
			if (out == nil) != tc.allowed || (in == nil) != tc.allowed {
				t.Errorf("egress: %v, ingress: %v", out, in)
			}
		})
	}
}

func TestDirections(t *testing.T) {
	one := policy(false, nil, nil)
	one.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}
	t.Run("APP-15 a policy for egress says nothing about ingress", func(t *testing.T) {
		if err := networkpolicy.Ingress(cluster{one}, networkpolicy.Connection{From: b, To: a, Protocol: corev1.ProtocolTCP, Port: 80}); err != nil {
			t.Error(err)
		}
		if err := networkpolicy.Egress(cluster{one}, networkpolicy.Connection{From: a, To: b, Protocol: corev1.ProtocolTCP, Port: 80}); !errors.Is(err, networkpolicy.ErrEgress) {
			t.Errorf("error %v", err)
		}
	})
}
