package guardeddial_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestCheck(t *testing.T) {
	rules := guardeddial.Rules{
		Refused:   []netip.Prefix{netip.MustParsePrefix("10.96.0.0/16")},
		Endpoints: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:8443")},
		Private:   []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fd00:1::/32")},
	}
	for name, address := range map[string]string{
		"loopback":                         "127.0.0.1:443",
		"a pod of the seed":                "127.64.0.9:2379",
		"loopback of IPv6":                 "[::1]:443",
		"no address":                       "0.0.0.0:443",
		"no address of IPv6":               "[::]:443",
		"this network":                     "0.1.2.3:443",
		"metadata of a cloud":              "169.254.169.254:80",
		"metadata of a cloud in IPv6":      "[fd00:ec2::254]:80",
		"another metadata of a cloud":      "100.100.100.200:80",
		"the local link":                   "[fe80::1]:443",
		"the local link with a zone":       "[fe80::1%eth0]:443",
		"many machines":                    "224.0.0.1:443",
		"all machines":                     "255.255.255.255:443",
		"IPv4 in IPv6":                     "[::ffff:127.0.0.1]:443",
		"IPv4 in the old form of IPv6":     "[::127.0.0.1]:443",
		"IPv4 translated":                  "[::ffff:0:127.0.0.1]:443",
		"IPv4 by NAT64":                    "[64:ff9b::7f00:1]:443",
		"metadata by NAT64":                "[64:ff9b::169.254.169.254]:80",
		"IPv4 by a local NAT64":            "[64:ff9b:1::7f00:1]:443",
		"IPv4 by 6to4":                     "[2002:7f00:1::1]:443",
		"a Service of the seed":            "10.96.0.10:443",
		"a Service of the seed in IPv6":    "[::ffff:10.96.0.10]:443",
		"another port of the front door":   "127.0.0.1:8444",
		"another address of the same port": "127.0.0.2:8443",
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			var refused *guardeddial.RefusedError
			if err := rules.Check(netip.MustParseAddrPort(address)); !errors.As(err, &refused) {
				t.Errorf("%s: error is %v", address, err)
			}
		})
	}
	for name, address := range map[string]string{
		"a server": "93.184.216.34:443", "a server in IPv6": "[2606:2800:220:1::1]:443", "a server by NAT64": "[64:ff9b::5db8:d822]:443",
		"the front door": "127.0.0.1:8443", "the front door in IPv6": "[::ffff:127.0.0.1]:8443",
		"a private network of the operator": "10.20.0.9:443", "a private network of the operator in IPv6": "[fd00:1::7]:443",
		"a private network of the operator by NAT64": "[64:ff9b::a14:9]:443",
	} {
		t.Run("allowed: "+name, func(t *testing.T) {
			if err := rules.Check(netip.MustParseAddrPort(address)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPrivateNetworks(t *testing.T) {
	rules := guardeddial.Rules{Private: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}}
	for _, address := range []string{
		"10.21.0.9:443", "172.16.0.1:443", "172.31.255.255:443", "192.168.1.7:443", "100.64.0.1:443", "198.18.0.1:443", "[fd12::1]:443",
		"[::ffff:192.168.1.7]:443", "[64:ff9b::c0a8:107]:443", "[2002:c0a8:107::1]:443",
	} {
		t.Run("APP-19 refused, and the error names the setting: "+address, func(t *testing.T) {
			var refused *guardeddial.RefusedError
			if err := rules.Check(netip.MustParseAddrPort(address)); !errors.As(err, &refused) || !refused.Private || !strings.Contains(err.Error(), "tenants.privateNetworks") {
				t.Errorf("error is %v", err)
			}
		})
	}
	for text, want := range map[string]bool{"10.0.0.0/8": true, "10.20.0.0/16": true, "172.16.0.0/11": false, "0.0.0.0/0": false, "127.0.0.0/8": false, "8.8.8.0/24": false, "fd00::/8": true, "fe80::/10": false} {
		if got := guardeddial.IsPrivate(netip.MustParsePrefix(text)); got != want {
			t.Errorf("%s is private: %v", text, got)
		}
	}
}

func TestNamed(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	endpoint := netip.MustParseAddrPort(server.Addr().String())
	addresses := map[string][]netip.Addr{"nodes.own.svc": {netip.MustParseAddr("127.0.0.9"), netip.MustParseAddr("127.0.0.1")}, "nodes.empty.svc": nil}
	lookup := func(_ context.Context, network, host string) ([]netip.Addr, error) {
		found, exists := addresses[strings.TrimSuffix(host, ".")]
		if network != "ip" || !exists {
			return nil, &net.DNSError{Name: host, IsNotFound: true}
		}
		return found, nil
	}
	named := func(name string, port uint16) guardeddial.Named {
		return guardeddial.Named{Name: name, Port: port, Lookup: lookup}
	}
	t.Run("APP-19 an address of the name is dialled, also by another name", func(t *testing.T) {
		for _, host := range []string{"127.0.0.1", "localhost", "::ffff:127.0.0.1"} {
			conn, err := named("nodes.own.svc", endpoint.Port()).DialContext(t.Context(), "tcp", net.JoinHostPort(host, strconv.Itoa(int(endpoint.Port()))))
			if err != nil {
				t.Fatalf("%s: %v", host, err)
			}
			_ = conn.Close()
		}
	})
	for name, tc := range map[string]struct {
		named   guardeddial.Named
		address string
	}{
		"an address that the name does not have":    {named("nodes.own.svc", endpoint.Port()), netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), endpoint.Port()).String()},
		"another port":                              {named("nodes.own.svc", endpoint.Port()+1), endpoint.String()},
		"any address if the name has none":          {named("nodes.empty.svc", endpoint.Port()), endpoint.String()},
		"any address if the name is not known":      {named("nodes.other.svc", endpoint.Port()), endpoint.String()},
		"any address if there is no name":           {named("", endpoint.Port()), endpoint.String()},
		"a public address that is none of the name": {named("nodes.own.svc", endpoint.Port()), "192.0.2.1:" + strconv.Itoa(int(endpoint.Port()))},
	} {
		t.Run("APP-19 refused: "+name, func(t *testing.T) {
			var refused *guardeddial.NotNamedError
			if _, err := tc.named.DialContext(t.Context(), "tcp", tc.address); !errors.As(err, &refused) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestDialContext(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	dial := func(rules guardeddial.Rules, host string) error {
		conn, err := rules.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	var refused *guardeddial.RefusedError
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "::ffff:127.0.0.1"} {
		t.Run("refused after the name is resolved: "+host, func(t *testing.T) {
			if err := dial(guardeddial.Rules{Hosts: []string{"host", "*.localhost", "local"}}, host); !errors.As(err, &refused) {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("a trusted name may have any address", func(t *testing.T) {
		for _, host := range []string{"localhost", "LocalHost"} {
			if err := dial(guardeddial.Rules{Hosts: []string{"localhost"}}, host); err != nil {
				t.Errorf("%s: %v", host, err)
			}
		}
	})
	t.Run("a pattern stands for many names", func(t *testing.T) {
		if err := dial(guardeddial.Rules{Hosts: []string{"l*host:" + port}}, "localhost"); err != nil {
			t.Errorf("at its port: %v", err)
		}
		if err := dial(guardeddial.Rules{Hosts: []string{"l*host:1"}}, "localhost"); !errors.As(err, &refused) {
			t.Errorf("at another port: %v", err)
		}
		if err := dial(guardeddial.Rules{Hosts: []string{"l*host"}}, "localhost"); err != nil {
			t.Error(err)
		}
	})
	t.Run("an endpoint that is excepted", func(t *testing.T) {
		if err := dial(guardeddial.Rules{Endpoints: []netip.AddrPort{netip.MustParseAddrPort(server.Listener.Addr().String())}}, "127.0.0.1"); err != nil {
			t.Error(err)
		}
	})
	t.Run("sockets of this machine are no servers", func(t *testing.T) {
		if _, err := (guardeddial.Rules{}).DialContext(t.Context(), "unix", "/run/docker.sock"); err == nil {
			t.Error("no error")
		}
	})
}

func TestGuardProcess(t *testing.T) {
	transport := http.DefaultTransport.(*http.Transport)
	before := *transport.Clone()
	defer func() { transport.DialContext, transport.Proxy = before.DialContext, before.Proxy }()
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	if err := (guardeddial.Rules{}).GuardProcess(); err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL, nil)
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	var refused *guardeddial.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("error is %v", err)
	}
}

// FuzzCheck looks for a form of a refused IPv4 address that is allowed.
func FuzzCheck(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add(netip.MustParseAddr("64:ff9b::7f00:1").AsSlice())
	f.Fuzz(func(t *testing.T, bytes []byte) {
		address, ok := netip.AddrFromSlice(bytes)
		if !ok {
			return
		}
		err := (guardeddial.Rules{}).Check(netip.AddrPortFrom(address, 443))
		if plain := address.Unmap(); err == nil && (plain.IsLoopback() || plain.IsLinkLocalUnicast() || plain.IsUnspecified() || plain.IsPrivate()) {
			t.Errorf("%s is allowed", address)
		}
		if again := (guardeddial.Rules{}).Check(netip.AddrPortFrom(netip.AddrFrom16(address.As16()), 443)); (err == nil) != (again == nil) {
			t.Errorf("%s: %v, in IPv6: %v", address, err, again)
		}
	})
}
