package callbacks

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// greet answers connections with a text.
func greet(listener net.Listener, text string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func TestCallbacks(t *testing.T) {
	garden, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer garden.Close()
	go greet(garden, "garden")
	records, err := dns.OpenZone(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := New("local", garden.Addr().String(), records, logr.Discard())
	dial := func(server string) string {
		t.Helper()
		conn, err := c.servers.Dial(server)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		text, _ := io.ReadAll(conn)
		return string(text)
	}
	t.Run("GLT-22 pods of the seed reach the front door of the garden, by a Service of the seed", func(t *testing.T) {
		if got := dial(component.Garden); got != "garden" {
			t.Errorf("they reach %q", got)
		}
		config := gardenlet.Config{Garden: &bootstrap.Garden{Server: "https://127.0.0.1:8443", ServerName: "api.virtual-garden.test", CA: []byte("ca")}}
		c.Adapt(&config)
		in := config.GardenInSeed
		if !config.Callback || in == nil || in.Server != "https://virtual-garden-kube-apiserver.garden.svc:443" || in.ServerName != "api.virtual-garden.test" || string(in.CA) != "ca" {
			t.Errorf("callback: %v, the garden is at %+v", config.Callback, in)
		}
	})
	t.Run("EXT-17 OPR-27 the API server of the seed reaches webhooks, which listen at no port", func(t *testing.T) {
		for _, server := range []string{component.ProviderLocal, component.GardenOperator} {
			way := c.Way(server)
			listener, err := way.Listen()
			if err != nil {
				t.Fatal(err)
			}
			go greet(listener, server)
			if got := dial(server); got != server || listener.Addr().Network() == "tcp" || *way.Service.Port != *component.Webhook(server).Port {
				t.Errorf("%q leads to %q by %+v", server, got, way.Service)
			}
			_ = listener.Close()
		}
	})
	t.Run("MIG-14 pods of the seed ask who owns a shoot, as long as the manager of the seed runs", func(t *testing.T) {
		const name = "owner.sun.sky.internal"
		if err := records.Put(dns.Claim{Owner: "me"}, name, "TXT", []string{"earth"}, 120); err != nil {
			t.Fatal(err)
		}
		ask := func(ctx context.Context) ([]string, error) {
			resolver := net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return c.servers.Dial(component.Records) }}
			return resolver.LookupTXT(ctx, name+".")
		}
		for range 2 { // managers end and begin again
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- c.answerRecords(ctx) }()
			testwait.Until(t, "the record is answered", func() error {
				values, err := ask(ctx)
				if err == nil && !slices.Equal(values, []string{"earth"}) {
					err = fmt.Errorf("%q", values)
				}
				return err
			})
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if values, err := ask(t.Context()); err == nil {
				t.Errorf("answers without a manager: %q", values)
			}
		}
		if c.OwnerServer() != component.RecordsServer {
			t.Errorf("etcds ask %q", c.OwnerServer())
		}
	})
}
