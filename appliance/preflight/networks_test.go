package preflight

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestNetworks(t *testing.T) {
	cfg, err := config.Load("", func(l *config.Landscape) { l.Seed.PodCIDR, l.Seed.ServiceCIDR = "127.64.0.0/16", "127.96.0.0/16" })
	if err != nil {
		t.Fatal(err)
	}
	at := func(device, prefix string) network { return network{device, netip.MustParsePrefix(prefix)} }
	for name, tc := range map[string]struct {
		found []network
		state doctor.State
		says  string
	}{
		"usual networks are fine":                     {[]network{at("eth0", "192.168.1.0/24"), at("docker0", "172.17.0.0/16"), at("eth0", "fe80::/64")}, doctor.OK, "no other network"},
		"a VPN with addresses like those of shoots":   {[]network{at("eth0", "192.168.1.0/24"), at("tailscale0", "100.101.102.103/32")}, doctor.Warning, "tailscale0 leads to 100.101.102.103/32"},
		"a VPN that takes all of them":                {[]network{at("tun0", "100.64.0.0/10")}, doctor.Warning, "Services and pods in 100.64.0.0/10"},
		"a VPN that takes all traffic":                {[]network{at("tun0", "0.0.0.0/1"), at("tun0", "128.0.0.0/1"), at("wg0", "64.0.0.0/2")}, doctor.OK, "no other network"},
		"routes never lead to loopback addresses":     {[]network{at("tun0", "127.0.0.0/8")}, doctor.OK, "no other network"},
		"no networks at all, as in a closed sandbox":  {nil, doctor.OK, "no other network"},
		"an address of this network beside it counts": {[]network{at("wlan0", "100.80.0.0/16")}, doctor.Warning, "wlan0"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			got := checkNetworks(cfg, tc.found)
			if got.State != tc.state || !strings.Contains(got.Message, tc.says) || (got.Cure == "") != (tc.state == doctor.OK) {
				t.Errorf("found %+v", got)
			}
		})
	}
}

func TestNetworksOfKind(t *testing.T) {
	cfg, err := config.Load("", func(l *config.Landscape) { l.Seed.Provider = config.ProviderKind })
	if err != nil {
		t.Fatal(err)
	}
	got := checkNetworks(cfg, []network{{"tun0", netip.MustParsePrefix("10.0.0.0/8")}})
	if got.State != doctor.Warning || !strings.Contains(got.Message, "tun0 leads to 10.0.0.0/8, where the seed has pods or Services") {
		t.Errorf("APP-35 a network of a company around those of the seed: %+v", got)
	}
}

func TestRoutes(t *testing.T) {
	const table = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0102A8C0	0003	0	0	0	00000000	0	0	0
tun0	00004064	00000000	0001	0	0	0	0000C0FF	0	0	0
eth0	0002A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
lo	0000007F	00000000	0001	0	0	0	000000FF	0	0	0
`
	want := []network{{"tun0", netip.MustParsePrefix("100.64.0.0/10")}, {"eth0", netip.MustParsePrefix("192.168.2.0/24")}}
	if diff := cmp.Diff(want, routed(table), cmp.AllowUnexported(network{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("networks (-want +got):\n%s", diff)
	}
}

func TestReachable(t *testing.T) {
	errBoom := errors.New("boom")
	t.Run("APP-35 an address of this machine answers", func(t *testing.T) {
		if err := reachable("127.64.0.1", net.DialTimeout); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-35 one whose packets another program takes does not", func(t *testing.T) {
		taken := func(string, string, time.Duration) (net.Conn, error) { return nil, errBoom }
		if err := reachable("127.64.0.1", taken); !errors.Is(err, errBoom) || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("error %v", err)
		}
	})
}
