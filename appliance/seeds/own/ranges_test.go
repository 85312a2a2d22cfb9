package own

import (
	"errors"
	"net/netip"
	"testing"
)

func TestChooseRanges(t *testing.T) {
	always := func(netip.Prefix, netip.Prefix) bool { return true }
	for name, tc := range map[string]struct {
		pods, services string
		taken          []string
		free           func(pods, services netip.Prefix) bool
		want           string
	}{
		"the first one is beside those of the first seed": {"127.64.0.0/16", "127.96.0.0/16", nil, always, "127.65.16.0/20 127.97.16.0/20"},
		"the next one is beside that": {
			"127.64.0.0/16", "127.96.0.0/16", []string{"127.65.16.0/20", "127.97.16.0/20"}, always, "127.66.32.0/20 127.98.32.0/20",
		},
		"what the first seed has is left out": {"127.30.0.0/16", "127.31.0.0/16", nil, always, "127.32.32.0/20 127.33.32.0/20"},
		"it stays in the lower half":          {"127.126.0.0/16", "127.96.0.0/16", nil, always, "127.1.16.0/20 127.97.16.0/20"},
		"where another landscape listens is left out": {
			"127.64.0.0/16", "127.96.0.0/16", nil, func(pods, _ netip.Prefix) bool { return pods.String() != "127.65.16.0/20" }, "127.66.32.0/20 127.98.32.0/20",
		},
		"there may be none": {"127.64.0.0/16", "127.96.0.0/16", nil, func(netip.Prefix, netip.Prefix) bool { return false }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			taken, err := parseRanges(tc.taken...)
			if err != nil {
				t.Fatal(err)
			}
			pods, services, err := chooseRanges(netip.MustParsePrefix(tc.pods), netip.MustParsePrefix(tc.services), taken, tc.free)
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
