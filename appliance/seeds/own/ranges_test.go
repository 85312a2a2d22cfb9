package own

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
)

func TestChooseRanges(t *testing.T) {
	everywhere := make([]netip.Addr, 0, 127*16)
	for second := range 127 {
		for third := range 16 {
			everywhere = append(everywhere, netip.AddrFrom4([4]byte{127, byte(second + 1), byte(third << 4), 7}))
		}
	}
	for name, tc := range map[string]struct {
		pods, services string
		taken          []string
		used           []netip.Addr
		want           string
	}{
		"the first one is beside those of the first seed": {"127.64.0.0/16", "127.96.0.0/16", nil, nil, "127.65.16.0/20 127.97.16.0/20"},
		"the next one is beside that": {
			"127.64.0.0/16", "127.96.0.0/16", []string{"127.65.16.0/20", "127.97.16.0/20"}, nil, "127.66.32.0/20 127.98.32.0/20",
		},
		"what the first seed has is left out": {"127.30.0.0/16", "127.31.0.0/16", nil, nil, "127.32.32.0/20 127.33.32.0/20"},
		"it stays in the lower half":          {"127.126.0.0/16", "127.96.0.0/16", nil, nil, "127.1.16.0/20 127.97.16.0/20"},
		"a /16 in which another landscape listens is left out": {
			"127.64.0.0/16", "127.96.0.0/16", nil, []netip.Addr{netip.MustParseAddr("127.65.200.7")}, "127.66.32.0/20 127.98.32.0/20",
		},
		"so is one with a Service of another landscape": {
			"127.64.0.0/16", "127.96.0.0/16", nil, []netip.Addr{netip.MustParseAddr("127.97.200.7")}, "127.66.32.0/20 127.98.32.0/20",
		},
		"listeners of its own seeds do not matter": {
			"127.66.0.0/16", "127.67.0.0/16", []string{"127.68.32.0/20", "127.69.32.0/20"},
			[]netip.Addr{netip.MustParseAddr("127.66.0.1"), netip.MustParseAddr("127.68.32.1"), netip.MustParseAddr("127.69.33.7")}, "127.69.48.0/20 127.70.48.0/20",
		},
		"if something listens in each /16, it takes a range without a listener": {
			"127.64.0.0/16", "127.96.0.0/16", nil, slices.DeleteFunc(slices.Clone(everywhere), func(address netip.Addr) bool {
				return address.As4()[2] == 48
			}), "127.67.48.0/20 127.99.48.0/20",
		},
		"there may be none": {"127.64.0.0/16", "127.96.0.0/16", nil, everywhere, ""},
	} {
		t.Run(name, func(t *testing.T) {
			taken, err := parseRanges(tc.taken...)
			if err != nil {
				t.Fatal(err)
			}
			pods, services, err := chooseRanges(netip.MustParsePrefix(tc.pods), netip.MustParsePrefix(tc.services), taken, tc.used)
			if tc.want == "" {
				if !errors.Is(err, errNoRanges) {
					t.Errorf("got %v", err)
				}
				return
			}
			if got := pods.String() + " " + services.String(); err != nil || got != tc.want {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
			if pods != pods.Masked() || services != services.Masked() {
				t.Error("host bits are set")
			}
		})
	}
}

// TestRangesDoNotShareNumbers is about nodes of shoots, whose pods are numbered by the last two bytes of the node.
func TestRangesDoNotShareNumbers(t *testing.T) {
	thirds := map[byte]bool{}
	first := netip.MustParsePrefix("127.64.0.0/16")
	for number := 1; number <= furtherSeeds; number++ {
		third := beside(first, number).Addr().As4()[2]
		if third == 0 || thirds[third] {
			t.Errorf("seed %d has numbers from %d on, as another one", number, third)
		}
		thirds[third] = true
	}
}
