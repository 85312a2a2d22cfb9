package probes

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/gardener-up/gardener-up/embedded/node/pods"
)

// address is the pod's. It is one of this machine, too: every address below 127.0.0.0/8 is.
var address = netip.MustParseAddr("127.99.0.1")

// podWith is a pod that opens ports which lead to addresses of test servers, and no other port.
func podWith(ports map[uint16]string) Pod {
	return Pod{Address: address, Dial: func(ctx context.Context, port uint16) (net.Conn, error) {
		if to, ok := ports[port]; ok {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to)
		}
		return nil, syscall.ECONNREFUSED
	}}
}

// ofMachine is a server that listens at all addresses of the machine, and its port. It must not be reached.
func ofMachine(t *testing.T) uint16 {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			t.Errorf("the server of the machine is reached")
		}
	}()
	return listener.Addr().(*net.TCPAddr).AddrPort().Port()
}

func httpGet(port uint16, path string) *corev1.HTTPGetAction {
	return &corev1.HTTPGetAction{Port: intstr.FromInt32(int32(port)), Path: path}
}

func TestMachineIsNotReached(t *testing.T) {
	port := ofMachine(t)
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	}))
	defer redirecting.Close()
	pod := podWith(map[uint16]string{80: redirecting.Listener.Addr().String()})
	handlers := map[string]corev1.ProbeHandler{
		"HTTP":             {HTTPGet: httpGet(port, "/")},
		"HTTPS":            {HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(int32(port)), Scheme: corev1.URISchemeHTTPS}},
		"TCP":              {TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(int32(port))}},
		"gRPC":             {GRPC: &corev1.GRPCAction{Port: int32(port)}},
		"HTTP with a host": {HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(int32(port)), Host: "127.0.0.1"}},
		"a redirect to the other port of the pod": {HTTPGet: httpGet(80, fmt.Sprintf("/?to=http://%s:%d/", address, port))},
	}
	for name, handler := range handlers {
		t.Run("APP-14 a server at all addresses of the machine is not reached by "+name, func(t *testing.T) {
			passed, said, err := Run(t.Context(), pods.Probe{ProbeHandler: handler}, pod, 5*time.Second)
			if passed || err != nil || !strings.Contains(said, "connection refused") {
				t.Errorf("passed %t, %q, %v", passed, said, err)
			}
			if handler.HTTPGet == nil {
				return
			}
			passed, said, err = Run(t.Context(), pods.Probe{ProbeHandler: handler, Hook: true}, pod, 0)
			if passed || err != nil || !strings.Contains(said, "connection refused") {
				t.Errorf("as a hook: passed %t, %q, %v", passed, said, err)
			}
		})
	}
	t.Run("APP-14 a redirect to another host is not followed", func(t *testing.T) {
		handler := corev1.ProbeHandler{HTTPGet: httpGet(80, fmt.Sprintf("/?to=http://127.0.0.1:%d/", port))}
		if passed, said, err := Run(t.Context(), pods.Probe{ProbeHandler: handler}, pod, 5*time.Second); !passed || err != nil || !strings.Contains(said, "terminated redirects") {
			t.Errorf("passed %t, %q, %v", passed, said, err)
		}
	})
}

func TestHTTP(t *testing.T) {
	var asked atomic.Pointer[http.Request]
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r)
		switch r.URL.Path {
		case "/bad":
			http.Error(w, "a secret of the pod", http.StatusInternalServerError)
		case "/slow":
			<-r.Context().Done()
		case "/away":
			http.Redirect(w, r, "/ok", http.StatusFound)
		}
	})
	plain, encrypted := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer encrypted.Close()
	pod := podWith(map[uint16]string{80: plain.Listener.Addr().String(), 443: encrypted.Listener.Addr().String()})
	run := func(t *testing.T, action *corev1.HTTPGetAction, hook bool, timeout time.Duration) (bool, string) {
		t.Helper()
		passed, said, err := Run(t.Context(), pods.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: action}, Hook: hook}, pod, timeout)
		if err != nil {
			t.Fatal(err)
		}
		return passed, said
	}
	t.Run("APP-13 a probe has the headers of the user, and of the kubelet", func(t *testing.T) {
		action := httpGet(80, "/ok?a=b")
		action.HTTPHeaders = []corev1.HTTPHeader{{Name: "Host", Value: "a.test"}, {Name: "X-Own", Value: "$(HOME)"}}
		if passed, said := run(t, action, false, time.Second); !passed {
			t.Error(said)
		}
		r := asked.Load()
		if r.Host != "a.test" || r.Header.Get("X-Own") != "$(HOME)" || !strings.HasPrefix(r.UserAgent(), "kube-probe/") || r.URL.RawQuery != "a=b" {
			t.Errorf("asked %s %v", r.Host, r.Header)
		}
	})
	t.Run("APP-13 a certificate need not be valid, and a redirect within the pod is followed", func(t *testing.T) {
		action := httpGet(443, "/away")
		action.Scheme = corev1.URISchemeHTTPS
		if passed, said := run(t, action, false, 5*time.Second); !passed || asked.Load().URL.Path != "/ok" {
			t.Error(said)
		}
	})
	t.Run("APP-13 an answer with an error fails without its text", func(t *testing.T) {
		if passed, said := run(t, httpGet(80, "/bad"), false, time.Second); passed || said != "HTTP probe failed with statuscode: 500" {
			t.Errorf("passed %t, %q", passed, said)
		}
	})
	t.Run("APP-13 an answer that takes too long fails", func(t *testing.T) {
		if passed, said := run(t, httpGet(80, "/slow"), false, 50*time.Millisecond); passed || !strings.Contains(said, "deadline exceeded") {
			t.Errorf("passed %t, %q", passed, said)
		}
	})
	t.Run("APP-13 a hook does not look at the answer, and tries without TLS", func(t *testing.T) {
		action := httpGet(80, "/bad")
		action.Scheme = corev1.URISchemeHTTPS
		if passed, said := run(t, action, true, 0); !passed || !strings.HasPrefix(asked.Load().UserAgent(), "kube-lifecycle/") {
			t.Error(said)
		}
	})
	t.Run("APP-13 a port without a number is an error", func(t *testing.T) {
		action := &corev1.HTTPGetAction{Port: intstr.FromString("web")}
		if passed, _, err := Run(t.Context(), pods.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: action}}, pod, time.Second); passed || err == nil {
			t.Errorf("passed %t, %v", passed, err)
		}
	})
}

func TestTCPAndGRPC(t *testing.T) {
	server, states := grpc.NewServer(), health.NewServer()
	grpc_health_v1.RegisterHealthServer(server, states)
	states.SetServingStatus("ill", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()
	defer func() { server.Stop(); <-served }()
	pod := podWith(map[uint16]string{90: listener.Addr().String()})
	ill := "ill"
	for name, tc := range map[string]struct {
		handler corev1.ProbeHandler
		passes  bool
		says    string
	}{
		"a port that is open":           {corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(90)}}, true, ""},
		"a port that is closed":         {corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(91)}}, false, "connection refused"},
		"a service that serves":         {corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 90}}, true, "service healthy"},
		"a service that does not serve": {corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 90, Service: &ill}}, false, "NOT_SERVING"},
	} {
		t.Run("APP-13 the kubelet learns about "+name, func(t *testing.T) {
			passed, said, err := Run(t.Context(), pods.Probe{ProbeHandler: tc.handler}, pod, 5*time.Second)
			if passed != tc.passes || err != nil || !strings.Contains(said, tc.says) {
				t.Errorf("passed %t, %q, %v", passed, said, err)
			}
		})
	}
}
