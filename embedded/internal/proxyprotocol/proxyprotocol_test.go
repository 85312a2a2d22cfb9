package proxyprotocol

import (
	"bytes"
	"net/netip"
	"testing"
)

func TestHeader(t *testing.T) {
	for _, meant := range []string{"10.2.3.4:443", "[2001:db8::1]:443"} {
		want := netip.MustParseAddrPort(meant)
		got, err := Read(bytes.NewReader(Header(netip.MustParseAddrPort("[2001:db8::9]:1"), want)))
		if err != nil || got.Addr() != want.Addr() || got.Port() != want.Port() {
			t.Errorf("SNI-10 header for %s is read as %s, %v", want, got, err)
		}
	}
}
