package shoot

import (
	"testing"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestTopLevelDomains(t *testing.T) {
	with := func(domain string) *core.Shoot {
		return &core.Shoot{Spec: core.ShootSpec{DNS: &core.DNS{Domain: ptr.To(domain)}}}
	}
	for name, tc := range map[string]struct {
		shoot, old *core.Shoot
		refused    bool
	}{
		"a domain of two labels":                     {shoot: with("example.org")},
		"no domain":                                  {shoot: &core.Shoot{}},
		"a top-level domain":                         {shoot: with("org"), refused: true},
		"a public suffix":                            {shoot: with("co.uk"), refused: true},
		"a domain below a public suffix":             {shoot: with("example.co.uk")},
		"a suffix of an owner, like the operator's":  {shoot: with("github.io")},
		"a change to a top-level domain":             {shoot: with("org"), old: &core.Shoot{}, refused: true},
		"a shoot that has had one can still change":  {shoot: with("org"), old: with("org")},
		"a shoot that has had one can take another ": {shoot: with("example.org"), old: with("org")},
	} {
		t.Run("APP-19 "+name, func(t *testing.T) {
			if errs := validateDomain(tc.shoot, tc.old); (len(errs) > 0) != tc.refused {
				t.Errorf("errors %v", errs)
			}
		})
	}
}
