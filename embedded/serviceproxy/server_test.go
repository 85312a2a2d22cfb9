package serviceproxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/serviceproxy"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// backendPort is the same for all pods, as it is on an embedded node.
const backendPort = 18080

// cluster is one API, and addresses that no other test uses.
type cluster struct {
	client kubernetes.Interface
	net    byte
}

func (c cluster) podIP(i int) string     { return fmt.Sprintf("127.64.%d.%d", c.net, i) }
func (c cluster) serviceIP(i int) string { return fmt.Sprintf("127.96.%d.%d", c.net, i) }
func (c cluster) cidr() netip.Prefix     { return netip.MustParsePrefix(c.serviceIP(0) + "/24") }

// asleep knows one Service without pods.
func asleep(_ context.Context, namespace, service string) (func(*net.TCPConn), bool) {
	return func(conn *net.TCPConn) { _, _ = io.WriteString(conn, namespace+"/"+service+" sleeps") }, service == "asleep"
}

func TestServer(t *testing.T) {
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	c := cluster{client: kubernetes.NewForConfigOrDie(env.Config), net: byte(100 + rand.IntN(150))}
	for i, ready := range []bool{1: true, 2: true, 3: false, 4: true} {
		if i == 0 {
			continue
		}
		c.makePod(t, fmt.Sprintf("web-%d", i), c.podIP(i), map[string]string{"app": "web"}, ready)
	}
	startBackend(t, c.podIP(1))
	startBackend(t, c.podIP(2))
	startBackend(t, c.podIP(3)) // not ready; and nobody listens at the fourth
	named := corev1.ServicePort{Port: 8080, TargetPort: intstr.FromString("http")}
	c.makeService(t, "web", c.serviceIP(10), map[string]string{"app": "web"}, named)
	c.makeService(t, "empty", c.serviceIP(11), map[string]string{"app": "nothing"}, named)
	c.makeService(t, "asleep", c.serviceIP(15), map[string]string{"app": "nothing"}, named)
	c.makeService(t, "udp", c.serviceIP(12), map[string]string{"app": "web"},
		corev1.ServicePort{Port: 5353, Protocol: corev1.ProtocolUDP, TargetPort: intstr.FromInt32(backendPort)})

	c.makeService(t, "outside", c.serviceIP(14), nil, corev1.ServicePort{Name: "db", Port: 5432})
	c.makeSlice(t, "outside", "192.0.2.7", "db", 15432)

	server := serviceproxy.New(serviceproxy.Config{Name: "proxy", Client: env.Config, ServiceCIDR: c.cidr(), Servers: map[types.NamespacedName]string{{Namespace: "default", Name: "kubernetes"}: "127.0.0.1:6443"}, Absent: asleep})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "ready", func() error { return server.Ready(t.Context()) })
	web := net.JoinHostPort(c.serviceIP(10), "8080")

	t.Run("connections go to ready pods in turn, past those that refuse", func(t *testing.T) {
		got := map[string]int{}
		for range 12 {
			got[ask(t, web, "hello")]++
		}
		if len(got) != 2 || got["127.64."+fmt.Sprint(c.net)+".1 hello"] == 0 {
			t.Errorf("got answers %v", got)
		}
	})

	t.Run("a half-closed connection still answers", func(t *testing.T) {
		conn := dial(t, web)
		_, _ = io.WriteString(conn, "first\n")
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.Contains(string(answer), "first") || !strings.HasSuffix(string(answer), "bye\n") {
			t.Errorf("got %q, %v", answer, err)
		}
	})

	t.Run("a Service without pods resets connections", func(t *testing.T) {
		conn, err := net.Dial("tcp", net.JoinHostPort(c.serviceIP(11), "8080"))
		if errors.Is(err, syscall.ECONNRESET) {
			return // before the client knew that it was connected
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("got %v, want a reset", err)
		}
	})

	t.Run("GLT-40 a Service without pods answers by itself if it is known why", func(t *testing.T) {
		if got, err := io.ReadAll(dial(t, net.JoinHostPort(c.serviceIP(15), "8080"))); err != nil || string(got) != "default/asleep sleeps" {
			t.Errorf("got %q, %v", got, err)
		}
	})

	t.Run("UDP is relayed both ways", func(t *testing.T) {
		startUDPBackend(t, c.podIP(1))
		startUDPBackend(t, c.podIP(2))
		startUDPBackend(t, c.podIP(4))
		conn, err := net.Dial("udp", net.JoinHostPort(c.serviceIP(12), "5353"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		for _, word := range []string{"one", "two"} {
			_, _ = io.WriteString(conn, word)
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			buffer := make([]byte, 100)
			n, err := conn.Read(buffer)
			if err != nil || string(buffer[:n]) != "got "+word {
				t.Fatalf("got %q, %v", buffer[:n], err)
			}
		}
	})

	t.Run("callers in the process get the address of a pod", func(t *testing.T) {
		var got []string
		for range 6 {
			endpoint, err := server.Endpoint(t.Context(), "web.default.svc.cluster.local", 8080)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, endpoint)
		}
		slices.Sort(got)
		want := []string{}
		for _, i := range []int{1, 2, 4} {
			want = append(want, fmt.Sprintf("%s:%d", c.podIP(i), backendPort))
		}
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, err := server.Endpoint(t.Context(), "kubernetes.default.svc", 443); err != nil || got != "127.0.0.1:6443" {
			t.Errorf("API server: got %q, %v", got, err)
		}
		if got, err := server.Endpoint(t.Context(), "outside.default.svc", 5432); err != nil || got != "192.0.2.7:15432" {
			t.Errorf("EndpointSlice of a Service without a selector: got %q, %v", got, err)
		}
		for _, host := range []string{"empty.default.svc", "missing.default.svc", "example.org"} {
			if _, err := server.Endpoint(t.Context(), host, 8080); err == nil {
				t.Errorf("no error for %s", host)
			}
		}
	})

	t.Run("changes of Services leave the connections of others alone", func(t *testing.T) {
		conn := dial(t, web)
		reader := bufio.NewReader(conn)
		exchange(t, conn, reader, "before")
		c.makeService(t, "late", c.serviceIP(13), map[string]string{"app": "web"}, named)
		testwait.Until(t, "the new Service to answer", func() error { return try(net.JoinHostPort(c.serviceIP(13), "8080")) })
		if err := c.client.CoreV1().Services("default").Delete(t.Context(), "late", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		testwait.Until(t, "the deleted Service to refuse", func() error {
			if try(net.JoinHostPort(c.serviceIP(13), "8080")) == nil {
				return errors.New("still answers")
			}
			return nil
		})
		exchange(t, conn, reader, "after")
	})

	t.Run("stop closes everything", func(t *testing.T) {
		conn := dial(t, web)
		if err := server.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Error(err)
		}
		if err := try(web); err == nil {
			t.Error("still answers")
		}
	})
}

// startBackend answers each line with its address and the line, and the end with "bye".
func startBackend(t *testing.T, ip string) {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", ip, backendPort))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				scanner := bufio.NewScanner(conn)
				for scanner.Scan() {
					_, _ = fmt.Fprintf(conn, "%s %s\n", ip, scanner.Text())
				}
				_, _ = io.WriteString(conn, "bye\n")
			}()
		}
	}()
}

func startUDPBackend(t *testing.T, ip string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", fmt.Sprintf("%s:%d", ip, backendPort))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 100)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(append([]byte("got "), buffer[:n]...), from)
		}
	}()
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn.(*net.TCPConn)
}

func exchange(t *testing.T, conn net.Conn, reader *bufio.Reader, line string) string {
	t.Helper()
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := reader.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

func ask(t *testing.T, address, line string) string {
	t.Helper()
	conn := dial(t, address)
	defer func() { _ = conn.Close() }()
	return exchange(t, conn, bufio.NewReader(conn), line)
}

// try returns nil if somebody answers at the address.
func try(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(conn, "hello\n")
	_, err = conn.Read(make([]byte, 1))
	return err
}

func (c cluster) makeService(t *testing.T, name, ip string, selector map[string]string, port corev1.ServicePort) {
	t.Helper()
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{ClusterIP: ip, Selector: selector, Ports: []corev1.ServicePort{port}},
	}
	if _, err := c.client.CoreV1().Services("default").Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (c cluster) makeSlice(t *testing.T, service, address, port string, number int32) {
	t.Helper()
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: service, Labels: map[string]string{discoveryv1.LabelServiceName: service}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{address}}},
		Ports:       []discoveryv1.EndpointPort{{Name: &port, Port: &number}},
	}
	if _, err := c.client.DiscoveryV1().EndpointSlices("default").Create(t.Context(), slice, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (c cluster) makePod(t *testing.T, name, ip string, labels map[string]string, ready bool) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{
			Name: "web", Image: "web", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: backendPort}},
		}}},
	}
	pod, err := c.client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	if ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	if _, err := c.client.CoreV1().Pods("default").UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
