package shoot

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestRegionDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"eu-west-1", "eu-west-1", 0},
		{"eu-west-1", "eu-east-1", 2},
		{"eu-west-1", "eu-1", 3}, // "eu--1" and "eu-1", one orientation
		{"eu-west", "eu-", 1},
		{"eu-west-1", "eu-west-2", 2},
		{"eu-west-1", "eu-central-2", 4},
		{"eu-west-1", "us-west-1", 2 * 2}, // two runes are replaced
		{"westeurope", "northeurope", 2},
		{"westeurope", "europe", 1},
		{"ap-southeast-1", "ap-southeast-2", 2},
		{"ap-southeast-1", "ap-south-1", 2},
		{"europe-west1", "us-central1", 2*5 + 2}, // one rune is kept of each,
		{"local", "local", 0},
		{"local", "", 10},
		{"münchen", "munchen", 2},
	} {
		t.Run("SCH-12 "+tc.a+" and "+tc.b, func(t *testing.T) {
			if there, back := regionDistance(tc.a, tc.b), regionDistance(tc.b, tc.a); there != tc.want || back != tc.want {
				t.Errorf("distance %d, back %d, want %d", there, back, tc.want)
			}
		})
	}
}

func TestMinimalDistance(t *testing.T) {
	type (
		Seed  = gardencorev1beta1.Seed
		Shoot = gardencorev1beta1.Shoot
	)
	in := func(name, region, provider string) Seed {
		return seed(name, func(s *Seed) { s.Spec.Provider.Region, s.Spec.Provider.Type = region, provider })
	}
	for name, tc := range map[string]struct {
		seeds   []Seed
		region  string
		purpose gardencorev1beta1.ShootPurpose
		hosted  map[string]int
		want    string
	}{
		"SCH-10 SCH-12 the seed in the nearest region": {
			seeds: []Seed{in("a", "us-east-1", "local"), in("b", "eu-east-1", "local")}, region: "eu-west-1", want: "b",
		},
		"SCH-12 a seed in the nearest region also if it has more shoots": {
			seeds: []Seed{in("a", "us-east-1", "local"), in("b", "eu-east-1", "local")}, region: "eu-west-1", hosted: map[string]int{"b": 9}, want: "b",
		},
		"SCH-12 SCH-15 among the nearest the seed with the fewest shoots": {
			seeds: []Seed{in("a", "eu-east-1", "local"), in("b", "eu-north-1", "local")}, region: "eu-west-1", hosted: map[string]int{"a": 1}, want: "b",
		},
		"SCH-12 a region of the same base is nearer than another provider": {
			seeds: []Seed{in("a", "eu-west-1", "other"), in("b", "eu-west-", "local")}, region: "eu-west", want: "b",
		},
		"SCH-12 another provider is farther by 2, not more": {
			seeds: []Seed{in("a", "eu-east-1", "local"), in("b", "eu-west-1", "other")}, region: "eu-west-1", hosted: map[string]int{"a": 1}, want: "b",
		},
		"SCH-12 another provider is not farther by less": {
			seeds: []Seed{in("a", "eu-west-1", "other"), in("b", "eu-east-1", "local")}, region: "eu-west-1", hosted: map[string]int{"a": 1}, want: "b",
		},
		"SCH-13 the region of the shoot with its provider wins over all": {
			seeds: []Seed{in("a", "eu-1-west", "local"), in("b", "eu-1west-", "local"), in("c", "eu-west-1", "local")}, region: "eu-west-1",
			hosted: map[string]int{"c": 100}, want: "c",
		},
		"SCH-13 also over another name of the same distance": {
			seeds: []Seed{in("a", "westeu", "local"), in("b", "euwest", "local")}, region: "euwest", hosted: map[string]int{"b": 9}, want: "b",
		},
		"SCH-14 the region does not matter for testing": {
			seeds: []Seed{in("a", "us-east-1", "local"), in("b", "eu-west-1", "local")}, region: "eu-west-1", purpose: "testing", hosted: map[string]int{"b": 1}, want: "a",
		},
		"SCH-3 an unusable seed is not near": {
			seeds: []Seed{seed("a", setCondition("GardenletReady", "False")), in("b", "us-east-1", "local")}, region: "eu", want: "b",
		},
	} {
		t.Run(name, func(t *testing.T) {
			request := &Request{
				Shoot:   &Shoot{Spec: gardencorev1beta1.ShootSpec{Region: tc.region, Provider: gardencorev1beta1.Provider{Type: "local"}, SeedSelector: selector("*")}},
				Profile: &gardencorev1beta1.CloudProfile{}, Hosted: tc.hosted, Strategy: config.MinimalDistance,
			}
			if tc.purpose != "" {
				request.Shoot.Spec.Purpose = &tc.purpose
			}
			if got, err := Choose(request, tc.seeds); err != nil || got.Name != tc.want {
				t.Errorf("seed %v (%v), want %q", got, err, tc.want)
			}
		})
	}
}
