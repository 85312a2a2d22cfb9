package frontdoor

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/netip"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/internal/proxyprotocol"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func sliceOf(namespace string, ready bool, addresses ...string) *discoveryv1.EndpointSlice {
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s", Labels: map[string]string{discoveryv1.LabelServiceName: apiServerService}},
		Ports:      []discoveryv1.EndpointPort{{Name: ptr.To(apiServerService), Port: ptr.To[int32](6443)}},
	}
	for _, address := range addresses {
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{Addresses: []string{address}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}})
	}
	return slice
}

func TestEndpoints(t *testing.T) {
	e := newEndpoints(fake.NewClientset(sliceOf(ours, true, "10.1.0.2", "10.1.1.2"), sliceOf("shoot--p--starting", false, "10.1.0.3")))
	server := Destination{Host: hostOf(ours), Port: defaultPort}
	t.Run("SNI-7 no server is known before the endpoints are read", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, known := e.Of(ctx, server); len(got) > 0 || !known {
			t.Errorf("got %v, %t", got, known)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- e.Run(ctx) }()
	for name, tc := range map[string]struct {
		host  string
		want  []string
		known bool
	}{
		"SNI-7 all servers of a shoot are known":                   {server.Host, []string{"10.1.0.2:6443", "10.1.1.2:6443"}, true},
		"SNI-7 a shoot whose server is not ready has none":         {hostOf("shoot--p--starting"), nil, true},
		"SNI-7 neither has one that is unknown":                    {hostOf("shoot--p--unknown"), nil, true},
		"SNI-7 what is in other namespaces is reached by its name": {hostOf("garden"), nil, false},
		"SNI-7 so are other Services":                              {"vpn-seed-server." + ours + ".svc.cluster.local", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, known := e.Of(t.Context(), Destination{Host: tc.host, Port: defaultPort})
			slices.Sort(got)
			if !slices.Equal(got, tc.want) || known != tc.known {
				t.Errorf("got %v, %t; want %v, %t", got, known, tc.want, tc.known)
			}
		})
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// some are the servers of all destinations.
type some []string

func (some) Run(ctx context.Context) error { <-ctx.Done(); return nil }

func (s some) Of(context.Context, Destination) ([]string, bool) { return s, true }

// TestProxiedToOneOfSeveral asks by the address of a Service, as doors and nodes do.
func TestProxiedToOneOfSeveral(t *testing.T) {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ours, Name: apiServerService}, Spec: corev1.ServiceSpec{ClusterIPs: []string{"10.2.3.4"}}}
	for name, tc := range map[string]struct {
		servers func(alive string) some
		found   bool
	}{
		"SNI-10 a node that is lost does not count": {func(alive string) some { return some{"127.0.0.1:1", alive} }, true},
		"SNI-10 a single server is asked itself":    {func(alive string) some { return some{alive} }, true},
		"SNI-10 without a server nobody is asked":   {func(string) some { return nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			addresses := &ServiceAddresses{client: fake.NewClientset(service)}
			addresses.refresh(nil)
			alive := echo(t)
			server := New(Config{
				Name: "test", ProxyAddress: "127.0.0.1:0", Services: addresses, Alternatives: tc.servers(alive), Log: logr.Discard(),
				Resolve: func(context.Context, string, int) (string, error) {
					t.Error("the address of the Service is asked for")
					return "", errors.New("unknown")
				},
			})
			if err := server.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Stop(context.Background()) })
			testwait.Until(t, "the Service is known", func() error {
				if _, _, known := addresses.Service(netip.MustParseAddr("10.2.3.4")); !known {
					return errors.New("unknown")
				}
				return nil
			})
			conn, said := dial(t, server.Addrs()[0]), hello(t, &tls.Config{ServerName: "any.test"})
			_, _ = conn.Write(append(proxyprotocol.Header(netip.MustParseAddrPort("10.0.0.7:4711"), netip.MustParseAddrPort("10.2.3.4:443")), said...))
			got := make([]byte, len(said))
			_, err := io.ReadFull(conn, got)
			if tc.found && !bytes.Equal(got, said) {
				t.Errorf("got %d of %d bytes, %v", len(got), len(said), err)
			}
			if !tc.found && err == nil {
				t.Error("there is an answer")
			}
		})
	}
}
