package app

import (
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/neighbours"
)

// TestOtherLandscapesRun is about a user who forgets --landscape.
func TestOtherLandscapesRun(t *testing.T) {
	stopped, one, two := neighbours.Landscape{Name: "local"}, neighbours.Landscape{Name: "one", Process: 7}, neighbours.Landscape{Name: "two", Process: 8}
	paused := neighbours.Landscape{Name: "three", Process: 9, Paused: &time.Time{}}
	for name, tc := range map[string]struct {
		all  []neighbours.Landscape
		want string
	}{
		"none":    {nil, ""},
		"no live": {[]neighbours.Landscape{stopped, paused}, ""},
		"one":     {[]neighbours.Landscape{stopped, one, paused}, "; another landscape runs: use it with --landscape one"},
		"two":     {[]neighbours.Landscape{one, stopped, two}, "; other landscapes run: use one with --landscape, of one, two"},
	} {
		t.Run("APP-35 the hint names landscapes that run: "+name, func(t *testing.T) {
			if got := runningHint(tc.all); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
