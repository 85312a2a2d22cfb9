package podnetwork_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/node/podnetwork"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

var (
	nameServer = netip.MustParseAddr("127.96.0.10")
	source     = netip.MustParseAddr("127.128.0.2")
	web        = netip.MustParseAddr("127.128.0.3")
	node       = netip.AddrFrom4([4]byte{127, 202, byte(rand.IntN(256)), byte(1 + rand.IntN(254))})
)

// named is a connection that only tells where it leads.
type named struct {
	net.Conn
	where string
}

// recorder is a pod that tells how it was dialled.
type recorder netip.Addr

func (r recorder) Dial(_ context.Context, protocol podnet.Protocol, port uint16, _ netip.Addr) (net.Conn, error) {
	return named{where: string(protocol) + " " + netip.AddrPortFrom(netip.Addr(r), port).String()}, nil
}

// cluster has a Service of a pod of this node, a headless one, and one whose endpoints a user wrote.
func cluster(t *testing.T) *testenv.Env {
	t.Helper()
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	client := kubernetes.NewForConfigOrDie(env.Config).CoreV1()
	labels := map[string]string{"app": "web"}
	for name, address := range map[string]string{"web": "127.96.7.7", "headless": corev1.ClusterIPNone} {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{
			ClusterIP: address, Selector: labels, Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080)}},
		}}
		if _, err := client.Services("default").Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	// The administrator of a cluster may write any address into the status of a pod.
	for name, address := range map[string]string{"web": web.String(), "forged": "127.0.0.1", "source": source.String()} {
		labels := labels
		if name == "source" {
			labels = nil
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.PodSpec{
			NodeName: "node", Containers: []corev1.Container{{Name: "c", Image: "any"}},
		}}
		made, err := client.Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		made.Status = corev1.PodStatus{
			Phase: corev1.PodRunning, PodIP: address, PodIPs: []corev1.PodIP{{IP: address}},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		}
		if _, err := client.Pods("default").UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

// start returns the decision for a pod, of a network that knows the cluster.
func start(t *testing.T, env *testenv.Env, apiServer string) podnet.Decide {
	t.Helper()
	network := podnetwork.New(podnetwork.Config{
		Servers: map[types.NamespacedName]string{{Namespace: "default", Name: "kubernetes"}: apiServer}, NameServers: []netip.Addr{nameServer}, Peers: t.TempDir(), Log: logr.Discard(),
		Node: node, Tell: func(service *corev1.Service, reason, message string) { t.Log(service.Name, reason, message) },
	}, func(address netip.Addr) (reach.Pod, bool) { return recorder(address), address == web })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := network.Run(ctx, env.Config); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return network.From("default", "source", source)
}

func TestNetwork(t *testing.T) {
	env := cluster(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = conn.Write([]byte("API server"))
			_ = conn.Close()
		}
	}()
	decide := start(t, env, listener.Addr().String())
	dial := func(protocol podnet.Protocol, destination string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		way, err := decide(ctx, protocol, netip.MustParseAddrPort(destination))
		if err != nil {
			return nil, err
		}
		return way(ctx)
	}

	t.Run("APP-13 a Service leads to its pods, and never to addresses that are none", func(t *testing.T) {
		for range 20 { // the choice is random
			conn, err := dial(podnet.TCP, "127.96.7.7:80")
			if err != nil {
				t.Fatal(err)
			}
			if where := conn.(named).where; where != "tcp 127.128.0.3:8080" {
				t.Errorf("it leads to %s", where)
			}
		}
	})
	t.Run("APP-14 a port or an address without a Service is refused", func(t *testing.T) {
		for _, destination := range []string{"127.96.7.7:81", "127.96.7.8:80", "127.0.0.1:80", "127.128.0.4:80", "93.184.216.34:80"} {
			if _, err := dial(podnet.TCP, destination); err == nil {
				t.Errorf("%s is reached", destination)
			}
		}
	})
	t.Run("APP-13 the Service kubernetes leads to the API server that the landscape knows", func(t *testing.T) {
		service, err := kubernetes.NewForConfigOrDie(env.Config).CoreV1().Services("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := dial(podnet.TCP, net.JoinHostPort(service.Spec.ClusterIP, "443"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if said, _ := io.ReadAll(conn); string(said) != "API server" {
			t.Errorf("%q answers", said)
		}
	})
	t.Run("APP-13 pods reach load balancers and node ports, and nobody takes an address outside by a Service", func(t *testing.T) {
		services := kubernetes.NewForConfigOrDie(env.Config).CoreV1().Services("default")
		made, err := services.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "outer"}, Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 18080, TargetPort: intstr.FromInt32(8080)}},
		}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		const other = "127.202.0.0" // of another node
		made.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: other}, {IP: "93.184.216.34"}}
		if _, err := services.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, destination := range []string{other + ":18080", netip.AddrPortFrom(node, uint16(made.Spec.Ports[0].NodePort)).String()} {
			testwait.Until(t, destination+" leads to the pod", func() error {
				conn, err := dial(podnet.TCP, destination)
				if err != nil {
					return err
				}
				if where := conn.(named).where; where != "tcp 127.128.0.3:8080" {
					return fmt.Errorf("it leads to %s", where)
				}
				return nil
			})
		}
		for _, destination := range []string{"93.184.216.34:18080", other + ":22"} {
			if _, err := dial(podnet.TCP, destination); err == nil {
				t.Errorf("%s is reached", destination)
			}
		}
	})
	for _, protocol := range []podnet.Protocol{podnet.UDP, podnet.TCP} {
		t.Run("APP-13 pods find names of the cluster by "+string(protocol), func(t *testing.T) {
			resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				conn, err := dial(protocol, "127.96.0.10:53")
				if err == nil && protocol == podnet.UDP {
					conn = packets{conn}
				}
				return conn, err
			}}
			for host, want := range map[string][]string{
				"web.default.svc.cluster.local.":      {"127.96.7.7"},
				"headless.default.svc.cluster.local.": {"127.0.0.1", "127.128.0.3"},
				"example.org.":                        nil,
			} {
				got, err := resolver.LookupHost(t.Context(), host)
				slices.Sort(got)
				if !slices.Equal(got, want) || (err == nil) != (want != nil) {
					t.Errorf("%s: %v, %v", host, got, err)
				}
			}
		})
	}
}

func TestPolicies(t *testing.T) {
	env := cluster(t)
	decide := start(t, env, "127.0.0.1:1")
	policies := kubernetes.NewForConfigOrDie(env.Config).NetworkingV1().NetworkPolicies("default")
	allowed := func(protocol podnet.Protocol, destination string) error {
		_, err := decide(t.Context(), protocol, netip.MustParseAddrPort(destination))
		return err
	}
	service, name, pod := "127.96.7.7:80", nameServer.String()+":53", web.String()+":8080"
	becomes := func(want bool, destination string) {
		t.Helper()
		testwait.Until(t, fmt.Sprintf("%s is reached: %t", destination, want), func() error {
			err := allowed(podnet.TCP, destination)
			if want == (err == nil) {
				return nil
			}
			return fmt.Errorf("error %w", err)
		})
	}
	deny := func(kind networkingv1.PolicyType) *networkingv1.NetworkPolicy {
		t.Helper()
		made, err := policies.Create(t.Context(), &networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "deny-"}, Spec: networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{kind}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	remove := func(policy *networkingv1.NetworkPolicy) {
		t.Helper()
		if err := policies.Delete(t.Context(), policy.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	becomes(true, service)

	t.Run("APP-15 a policy without rules closes pods, by their address and behind a Service", func(t *testing.T) {
		denied := deny(networkingv1.PolicyTypeIngress)
		becomes(false, service)
		becomes(false, pod)
		if err := allowed(podnet.UDP, name); err != nil {
			t.Errorf("names: %v", err)
		}
		port := intstr.FromInt32(8080)
		denied.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{
			From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}, Ports: []networkingv1.NetworkPolicyPort{{Port: &port}},
		}}
		if _, err := policies.Update(t.Context(), denied, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		becomes(true, service)
		if err := allowed(podnet.TCP, web.String()+":8081"); err == nil {
			t.Error("another port is reached")
		}
		remove(denied)
	})
	t.Run("APP-15 a policy for egress closes everything, names too", func(t *testing.T) {
		denied := deny(networkingv1.PolicyTypeEgress)
		becomes(false, service)
		if err := allowed(podnet.UDP, name); err == nil {
			t.Error("names are found")
		}
		denied.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{
			To: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: nameServer.String() + "/32"}}},
		}}
		if _, err := policies.Update(t.Context(), denied, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		becomes(true, name)
		if err := allowed(podnet.TCP, service); err == nil {
			t.Error("the Service is reached")
		}
		remove(denied)
		becomes(true, service)
	})
}

// packets makes package net see a connection of packets.
type packets struct{ net.Conn }

func (p packets) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := p.Read(b)
	return n, p.RemoteAddr(), err
}

func (p packets) WriteTo(b []byte, _ net.Addr) (int, error) { return p.Write(b) }
