package shoot

import (
	"slices"
	"testing"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestWarnControlPlane(t *testing.T) {
	with := func(plane *core.ControlPlane) *core.Shoot {
		return &core.Shoot{Spec: core.ShootSpec{ControlPlane: plane}}
	}
	available := with(&core.ControlPlane{HighAvailability: &core.HighAvailability{FailureTolerance: core.FailureTolerance{Type: core.FailureToleranceTypeNode}}})
	zoned := with(&core.ControlPlane{Zones: []string{"0"}})
	for name, tc := range map[string]struct {
		shoot, old *core.Shoot
		want       []string
	}{
		"an ordinary control plane promises nothing":  {shoot: with(nil)},
		"a failure tolerance is what it promises":     {shoot: available},
		"this is said once":                           {shoot: zoned, old: zoned},
		"also when they are asked for later":          {shoot: zoned, old: with(nil), want: []string{warnZones}},
		"zones of a seed do not tell its nodes apart": {shoot: zoned, want: []string{warnZones}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := warnControlPlane(tc.shoot, tc.old); !slices.Equal(got, tc.want) {
				t.Errorf("warnings are %q", got)
			}
		})
	}
}
