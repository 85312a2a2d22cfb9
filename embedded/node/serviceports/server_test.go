package serviceports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// cluster has Services whose endpoints are written by users, and two pods.
type cluster struct {
	mu        sync.Mutex
	services  []*corev1.Service
	endpoints []string
}

var local, remote = netip.MustParseAddr("127.128.0.2"), netip.MustParseAddr("127.128.0.130")

func (c *cluster) Services() []*corev1.Service {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.services
}

func (c *cluster) Endpoints(*corev1.Service, corev1.ServicePort) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endpoints
}

// pod says its address, and who asks.
type pod netip.Addr

func (p pod) Dial(_ context.Context, protocol podnet.Protocol, number uint16, source netip.Addr) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		_, _ = fmt.Fprintf(server, "%s %s:%d for %s", protocol, netip.Addr(p), number, source)
		_ = server.Close()
	}()
	return client, nil
}

func newServer(t *testing.T, c *cluster) (s *Server, node netip.Addr, told chan string) {
	node = netip.AddrFrom4([4]byte{127, 200, byte(rand.IntN(256)), byte(1 + rand.IntN(254))})
	told = make(chan string, 100)
	s = New(Config{
		Node: node, Local: func(a netip.Addr) bool { return a == local },
		Pod:  func(a netip.Addr) (reach.Pod, bool) { return pod(a), a == local || a == remote },
		Tell: func(service *corev1.Service, reason, _ string) { told <- reason + " " + service.Name },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx, c) }()
	t.Cleanup(func() { cancel(); <-ended })
	return s, node, told
}

// ask returns what a port says; nothing if it is not served or leads nowhere.
func ask(node netip.Addr, number int) string {
	conn, err := net.Dial("tcp", netip.AddrPortFrom(node, uint16(number)).String())
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	said, _ := io.ReadAll(conn)
	return string(said)
}

func says(t *testing.T, node netip.Addr, number int, want string) {
	t.Helper()
	testwait.Until(t, fmt.Sprintf("port %d says %q", number, want), func() error {
		if said := ask(node, number); said != want {
			return fmt.Errorf("it says %q", said)
		}
		return nil
	})
}

func TestServer(t *testing.T) {
	of := func(address netip.Addr) string { return fmt.Sprintf("tcp %s:8080 for 127.0.0.1", address) }
	web := func(change func(*corev1.ServiceSpec)) *corev1.Service {
		return with(service("web", 1, corev1.ServiceTypeLoadBalancer, tcp(27888, 30080)), change)
	}
	c := &cluster{services: []*corev1.Service{web(func(*corev1.ServiceSpec) {})}, endpoints: []string{"127.128.0.2:8080", "127.128.0.130:8080"}}
	s, node, told := newServer(t, c)
	become := func(services []*corev1.Service, endpoints ...string) {
		c.mu.Lock()
		c.services, c.endpoints = services, endpoints
		c.mu.Unlock()
		s.Notify()
	}
	t.Run("APP-13 the ports of a load balancer reach pods of all nodes", func(t *testing.T) {
		for _, number := range []int{27888, 30080} {
			says(t, node, number, of(local))
			says(t, node, number, of(remote))
		}
	})
	t.Run("APP-14 endpoints that are no pods lead nowhere", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		become(c.Services(), listener.Addr().String(), "93.184.216.34:80", "localhost:80")
		says(t, node, 27888, "")
		go func() { _ = listener.(*net.TCPListener).SetDeadline(time.Now()) }()
		if conn, err := listener.Accept(); err == nil {
			_ = conn.Close()
			t.Error("a server of the machine was dialled")
		}
	})
	t.Run("APP-13 with the policy Local only pods of the node answer", func(t *testing.T) {
		become([]*corev1.Service{web(func(s *corev1.ServiceSpec) { s.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal })}, "127.128.0.130:8080")
		says(t, node, 27888, "")
		become(c.Services(), "127.128.0.2:8080", "127.128.0.130:8080")
		says(t, node, 27888, of(local))
		for range 20 {
			if said := ask(node, 27888); said != of(local) {
				t.Fatalf("says %q", said)
			}
		}
	})
	t.Run("APP-13 with session affinity a client keeps its pod", func(t *testing.T) {
		become([]*corev1.Service{web(func(s *corev1.ServiceSpec) { s.SessionAffinity = corev1.ServiceAffinityClientIP })}, c.endpoints...)
		testwait.Until(t, "twenty answers in a row are the same", func() error {
			first := ask(node, 27888)
			for range 20 {
				if said := ask(node, 27888); said != first || said == "" {
					return fmt.Errorf("%q after %q", said, first)
				}
			}
			return nil
		})
	})
	t.Run("APP-13 source ranges close the load balancer to others", func(t *testing.T) {
		become([]*corev1.Service{web(func(s *corev1.ServiceSpec) { s.LoadBalancerSourceRanges = []string{"10.0.0.0/8"} })}, "127.128.0.2:8080")
		says(t, node, 27888, "")
		says(t, node, 30080, of(local))
	})
	t.Run("APP-13 a Service that is deleted closes its ports", func(t *testing.T) {
		become(nil)
		testwait.Until(t, "the ports are closed", func() error {
			for _, number := range []int{27888, 30080} {
				if conn, err := net.Dial("tcp", netip.AddrPortFrom(node, uint16(number)).String()); err == nil {
					_ = conn.Close()
					return fmt.Errorf("port %d is open", number)
				}
			}
			return nil
		})
	})
	t.Run("APP-13 a port of another program is told, and taken once it is free", func(t *testing.T) {
		var other net.Listener
		testwait.Until(t, "another program has the port", func() (err error) { // the kernel gives up a closed port some time later
			other, err = net.Listen("tcp", netip.AddrPortFrom(node, 27888).String())
			return err
		})
		become([]*corev1.Service{web(func(*corev1.ServiceSpec) {})}, "127.128.0.2:8080")
		if said := <-told; said != "PortTaken web" {
			t.Errorf("told %s", said)
		}
		says(t, node, 30080, of(local))
		_ = other.Close()
		says(t, node, 27888, of(local))
		if len(told) > 0 {
			t.Errorf("told again: %s", <-told)
		}
	})
}

func TestEnd(t *testing.T) {
	c := &cluster{services: []*corev1.Service{service("web", 1, corev1.ServiceTypeNodePort, tcp(80, 30080))}, endpoints: []string{"127.128.0.2:8080"}}
	node := netip.AddrFrom4([4]byte{127, 201, byte(rand.IntN(256)), byte(1 + rand.IntN(254))})
	s := New(Config{Node: node, Pod: func(a netip.Addr) (reach.Pod, bool) { return pod(a), true }, Tell: func(*corev1.Service, string, string) {}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx, c) }()
	testwait.Until(t, "the port is open", func() error {
		if ask(node, 30080) == "" {
			return errors.New("it is not")
		}
		return nil
	})
	cancel()
	<-ended
	if conn, err := net.Dial("tcp", fmt.Sprintf("%s:30080", node)); err == nil {
		_ = conn.Close()
		t.Error("the port is open after the end of the node")
	}
}
