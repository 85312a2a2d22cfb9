package guardeddial_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestSimulated(t *testing.T) {
	rules := guardeddial.Rules{
		Simulated: []netip.Prefix{netip.MustParsePrefix("100.64.0.0/13"), netip.MustParsePrefix("127.0.0.0/30")},
		Endpoints: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:8443")},
	}
	var simulated *guardeddial.SimulatedError
	for name, address := range map[string]string{
		"a Service of the shoot is not dialled outside of the machine": "100.64.3.4:443",
		"neither is one in IPv6":                  "[::ffff:100.64.3.4]:443",
		"a range that a user chose opens nothing": "127.0.0.1:8443",
	} {
		t.Run(name, func(t *testing.T) {
			if err := rules.Check(netip.MustParseAddrPort(address)); !errors.As(err, &simulated) {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("an address beside the ranges", func(t *testing.T) {
		if err := rules.Check(netip.MustParseAddrPort("93.184.216.34:443")); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-13 a cluster with real pods is asked for its own addresses only", func(t *testing.T) {
		own := rules
		var asked []netip.AddrPort
		own.Cluster = func(_ context.Context, network string, to netip.AddrPort) (net.Conn, error) {
			asked = append(asked, to)
			return nil, errors.New("asked by " + network)
		}
		if _, err := own.DialContext(t.Context(), "tcp", "100.64.3.4:443"); err == nil || err.Error() != "asked by tcp" {
			t.Errorf("error is %v", err)
		}
		var refused *guardeddial.RefusedError
		if _, err := own.DialContext(t.Context(), "tcp", "127.0.0.9:443"); !errors.As(err, &refused) {
			t.Errorf("another address of the machine: %v", err)
		}
		if len(asked) != 1 {
			t.Errorf("asked for %v", asked)
		}
	})
	t.Run("the error names the Service, when it was dialled by its name", func(t *testing.T) {
		_, err := rules.DialContext(t.Context(), "tcp", "100.64.3.4:443")
		if got := guardeddial.NameService(err, "default/hook").Error(); got != "Service default/hook has only simulated pods" {
			t.Errorf("error is %v", got)
		}
		if other := errors.New("other"); guardeddial.NameService(other, "default/hook") != other {
			t.Error("another error changed")
		}
	})
}
