package node

import (
	"net/netip"
	"testing"
)

func TestDefaultPodRange(t *testing.T) {
	for name, tc := range map[string]struct{ node, want string }{
		"the first node":                    {"127.64.0.0", "127.128.0.0/25"},
		"the next node has the next range":  {"127.64.0.1", "127.128.0.128/25"},
		"a carry goes to the third octet":   {"127.64.0.2", "127.128.1.0/25"},
		"a carry goes to the second octet":  {"127.64.2.0", "127.129.0.0/25"},
		"the last node has the last range":  {"127.64.255.255", "127.255.255.128/25"},
		"a node with a network of its own":  {"10.0.0.7", "127.128.0.0/16"},
		"a node of another landscape":       {"127.80.0.1", "127.128.0.128/25"},
		"a pod of such a node has no range": {"127.200.0.1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := DefaultPodRange(netip.MustParseAddr(tc.node))
			if (err != nil) != (tc.want == "") || err == nil && got.String() != tc.want {
				t.Errorf("got %s and %v, want %s", got, err, tc.want)
			}
		})
	}
}

func TestDefaultPodRangesNeverOverlap(t *testing.T) {
	seen := map[netip.Prefix]netip.Addr{}
	for node := netip.MustParseAddr("127.64.0.0"); netip.MustParsePrefix("127.64.0.0/16").Contains(node); node = node.Next() {
		got, err := DefaultPodRange(node)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[got]; taken {
			t.Fatalf("%s and %s share %s", other, node, got)
		}
		if got != got.Masked() || !nodePods.Contains(got.Addr()) {
			t.Fatalf("%s gets %s", node, got)
		}
		seen[got] = node
	}
}
