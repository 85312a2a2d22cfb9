package reach

import (
	"net/netip"
	"testing"
)

func TestIsOf(t *testing.T) {
	for name, tc := range map[string]struct {
		prefix, address string
		want            bool
	}{
		"APP-14 the address of the interface": {"192.0.2.5/24", "192.0.2.5", true},
		"APP-14 its broadcast address":        {"192.0.2.5/24", "192.0.2.255", true},
		"APP-14 its former broadcast address": {"192.0.2.5/24", "192.0.2.0", true},
		"a neighbour":                         {"192.0.2.5/24", "192.0.2.6", false},
		"the end of another network":          {"192.0.2.5/24", "198.51.100.255", false},
		"the other end of a line":             {"192.0.2.4/31", "192.0.2.5", false},
		"an address of IPv6":                  {"2001:db8::1/64", "2001:db8::ffff:ffff:ffff:ffff", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isOf(netip.MustParsePrefix(tc.prefix), netip.MustParseAddr(tc.address)); got != tc.want {
				t.Errorf("%s of %s: %t", tc.address, tc.prefix, got)
			}
		})
	}
}
