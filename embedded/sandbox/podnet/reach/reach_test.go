package reach_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

var (
	source   = netip.MustParseAddr("127.64.0.9")
	errBoom  = errors.New("boom")
	ownPods  = map[string]bool{"127.64.0.5": true, "127.64.0.6": true}
	services = map[string][]netip.AddrPort{
		"127.96.0.1:443": {netip.MustParseAddrPort("127.64.0.66:6443")}, // written by a user who wants to replace the API server
		"127.96.0.7:80":  {netip.MustParseAddrPort("127.64.0.5:8080"), netip.MustParseAddrPort("127.0.0.1:2379")},
		"127.96.0.8:80":  {netip.MustParseAddrPort("127.0.0.1:2379")},
		"127.96.0.9:80":  {},
	}
)

// named is a connection that only tells where it leads.
type named struct {
	net.Conn
	where string
}

func leadsTo(where string) podnet.Dial {
	return func(context.Context) (net.Conn, error) { return named{where: where}, nil }
}

// recorder is a pod that tells how it was dialled.
type recorder struct{ address netip.Addr }

func (r recorder) Dial(_ context.Context, protocol podnet.Protocol, port uint16, source netip.Addr) (net.Conn, error) {
	return named{where: string(protocol) + " pod " + netip.AddrPortFrom(r.address, port).String() + " from " + source.String()}, nil
}

func cluster() reach.Cluster {
	return reach.Cluster{
		Server: func(protocol podnet.Protocol, destination netip.AddrPort) podnet.Dial {
			if protocol == podnet.TCP && destination.String() == "127.96.0.1:443" {
				return leadsTo("API server")
			}
			if destination.String() == "127.96.0.10:53" {
				return leadsTo("DNS server by " + string(protocol))
			}
			return nil
		},
		Service: func(flow reach.Flow) ([]netip.AddrPort, bool) {
			endpoints, ok := services[flow.Destination.String()]
			return endpoints, ok
		},
		Pod: func(address netip.Addr) (reach.Pod, bool) {
			return recorder{address}, ownPods[address.String()]
		},
		Outside: &guardeddial.Rules{},
	}
}

func TestAPodReaches(t *testing.T) {
	for name, tc := range map[string]struct {
		protocol    podnet.Protocol
		destination string
		want        string
	}{
		"APP-13 a pod of its cluster, with its own address as the source": {podnet.TCP, "127.64.0.5:8080", "tcp pod 127.64.0.5:8080 from 127.64.0.9"},
		"APP-13 a pod by UDP": {podnet.UDP, "127.64.0.6:99", "udp pod 127.64.0.6:99 from 127.64.0.9"},
		"APP-13 a Service, by the endpoint that it may reach":                     {podnet.TCP, "127.96.0.7:80", "tcp pod 127.64.0.5:8080 from 127.64.0.9"},
		"APP-13 the API server, whatever endpoints a user writes for its Service": {podnet.TCP, "127.96.0.1:443", "API server"},
		"APP-13 the DNS server": {podnet.UDP, "127.96.0.10:53", "DNS server by udp"},
	} {
		t.Run(name, func(t *testing.T) {
			dial, err := cluster().From(source)(t.Context(), tc.protocol, netip.MustParseAddrPort(tc.destination))
			if err != nil {
				t.Fatal(err)
			}
			conn, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := conn.(named).where; got != tc.want {
				t.Errorf("leads to %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("APP-13 the outside, where it is open", func(t *testing.T) {
		if _, err := cluster().From(source)(t.Context(), podnet.TCP, netip.MustParseAddrPort("93.184.216.34:80")); err != nil {
			t.Error(err)
		}
	})
}

func TestAPodDoesNotReach(t *testing.T) {
	closed := cluster()
	closed.Outside = nil
	for name, tc := range map[string]struct {
		cluster     reach.Cluster
		destination string
	}{
		"APP-14 a listener of the machine":                             {cluster(), "127.0.0.1:2379"},
		"APP-14 a pod of another cluster":                              {cluster(), "127.64.0.66:6443"},
		"APP-14 an unknown address among the Services":                 {cluster(), "127.96.0.200:443"},
		"APP-14 another port of a server":                              {cluster(), "127.96.0.1:2379"},
		"APP-14 a Service whose endpoint is a listener of the machine": {cluster(), "127.96.0.8:80"},
		"APP-14 the metadata of a cloud":                               {cluster(), "169.254.169.254:80"},
		"APP-14 the outside, where it is closed":                       {closed, "93.184.216.34:80"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tc.cluster.From(source)(t.Context(), podnet.TCP, netip.MustParseAddrPort(tc.destination)); !errors.Is(err, reach.ErrRefused) {
				t.Errorf("error %v, want one with ErrRefused", err)
			}
		})
	}
	t.Run("APP-14 an address of the machine's own interfaces", func(t *testing.T) {
		addresses, err := net.InterfaceAddrs()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range addresses {
			own := netip.MustParsePrefix(a.String()).Addr()
			if _, err := cluster().From(source)(t.Context(), podnet.TCP, netip.AddrPortFrom(own, 22)); !errors.Is(err, reach.ErrRefused) {
				t.Errorf("%s: error %v, want one with ErrRefused", own, err)
			}
		}
	})
	t.Run("APP-13 a Service without endpoints", func(t *testing.T) {
		if _, err := cluster().From(source)(t.Context(), podnet.TCP, netip.MustParseAddrPort("127.96.0.9:80")); err == nil {
			t.Error("no error")
		}
	})
}

// forbids is a policy that forbids one destination.
type forbids struct{ destination string }

func (f forbids) Allows(flow reach.Flow) error {
	if flow.Source == source && flow.Destination.String() == f.destination {
		return errBoom
	}
	return nil
}

func TestPolicies(t *testing.T) {
	for name, destination := range map[string]string{
		"APP-15 a policy closes a pod":                 "127.64.0.5:8080",
		"APP-15 a policy closes a server":              "127.96.0.10:53",
		"APP-15 a policy closes an address outside":    "93.184.216.34:80",
		"APP-15 a policy about a pod closes a Service": "127.96.0.7:80",
	} {
		t.Run(name, func(t *testing.T) {
			c, forbidden := cluster(), destination
			if forbidden == "127.96.0.7:80" {
				forbidden = "127.64.0.5:8080"
			}
			c.Policy = forbids{forbidden}
			if _, err := c.From(source)(t.Context(), podnet.TCP, netip.MustParseAddrPort(destination)); !errors.Is(err, errBoom) {
				t.Errorf("error %v, want the policy's", err)
			}
		})
	}
	t.Run("APP-15 policies leave other destinations alone", func(t *testing.T) {
		c := cluster()
		c.Policy = forbids{"127.64.0.5:8080"}
		if _, err := c.From(source)(t.Context(), podnet.TCP, netip.MustParseAddrPort("127.64.0.6:8080")); err != nil {
			t.Error(err)
		}
	})
}

func TestMachine(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	at := listener.Addr().(*net.TCPAddr).AddrPort()
	t.Run("APP-13 a pod on the machine's network is reached at its address", func(t *testing.T) {
		conn, err := reach.Machine{Address: at.Addr(), Ports: []int32{int32(at.Port())}}.Dial(t.Context(), podnet.TCP, at.Port(), source)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	})
	t.Run("APP-14 a server of the machine at a port that the pod does not declare is not reached", func(t *testing.T) {
		conn, err := reach.Machine{Address: at.Addr(), Ports: []int32{1}}.Dial(t.Context(), podnet.TCP, at.Port(), source)
		if !errors.Is(err, reach.ErrRefused) {
			t.Errorf("connection %v, error %v, want that it is refused", conn, err)
		}
	})
}
