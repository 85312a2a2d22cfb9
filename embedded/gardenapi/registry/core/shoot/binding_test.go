package shoot

import (
	"testing"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestBinding(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after core.ShootSpec
		errors        int
	}{
		"a seed is chosen": {after: core.ShootSpec{SeedName: ptr.To("a")}},
		"admission adds the ranges of services to a shoot without workers": {
			after: core.ShootSpec{SeedName: ptr.To("a"), Networking: &core.Networking{Services: ptr.To("100.64.0.0/13")}},
		},
		"admission adds ranges and a domain": {
			before: core.ShootSpec{Networking: &core.Networking{Type: ptr.To("calico")}},
			after: core.ShootSpec{
				SeedName: ptr.To("a"), DNS: &core.DNS{Domain: ptr.To("a.example.org")},
				Networking: &core.Networking{Type: ptr.To("calico"), Pods: ptr.To("100.96.0.0/11"), Services: ptr.To("100.64.0.0/13")},
			},
		},
		"nobody adds a type of networking": {after: core.ShootSpec{SeedName: ptr.To("a"), Networking: &core.Networking{Type: ptr.To("calico")}}, errors: 1},
		"ranges that were given stay":      {before: core.ShootSpec{Networking: &core.Networking{Pods: ptr.To("a")}}, after: core.ShootSpec{SeedName: ptr.To("a"), Networking: &core.Networking{Pods: ptr.To("b")}}, errors: 1},
		"nothing but the seed changes":     {after: core.ShootSpec{SeedName: ptr.To("a"), Region: "b"}, errors: 1},
		"a shoot is not taken from a seed": {before: core.ShootSpec{SeedName: ptr.To("a")}, errors: 1},
		"the same seed is no binding":      {before: core.ShootSpec{SeedName: ptr.To("a")}, after: core.ShootSpec{SeedName: ptr.To("a")}, errors: 1},
	} {
		t.Run(name, func(t *testing.T) {
			errs := bindingStrategy{}.ValidateUpdate(t.Context(), &core.Shoot{Spec: tc.after}, &core.Shoot{Spec: tc.before})
			if len(errs) != tc.errors {
				t.Errorf("errors %v, want %d", errs, tc.errors)
			}
		})
	}
}
