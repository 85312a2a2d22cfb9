package tokenwebhook

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestIssuersOfTheGarden(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	in := Inputs{
		Access:             servers.Access{PKI: &pki.Bundle{}},
		AllowedIssuerHosts: []string{"localhost"}, PrivateNetworks: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")},
	}
	dial := in.config().Dial
	t.Run("OIDC-2 an issuer of this machine is dialled by an allowed name only", func(t *testing.T) {
		conn, err := dial(t.Context(), "tcp", net.JoinHostPort("localhost", port))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		var refused *guardeddial.RefusedError
		if _, err := dial(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port)); !errors.As(err, &refused) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("OIDC-2 an issuer in a private network is dialled if the configuration lists the network", func(t *testing.T) {
		if err := in.rules().Check(netip.MustParseAddrPort("10.20.0.1:443")); err != nil {
			t.Error(err)
		}
		var refused *guardeddial.RefusedError
		if err := in.rules().Check(netip.MustParseAddrPort("10.21.0.1:443")); !errors.As(err, &refused) {
			t.Errorf("error is %v", err)
		}
	})
}
