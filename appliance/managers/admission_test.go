package managers

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
)

func TestAdmissionLimits(t *testing.T) {
	limitsOf := func(raw string) *config.ResourceAdmissionConfiguration {
		r := gardenRoles{GardenInputs{AdmissionController: []byte(raw)}}
		configuration, err := r.admissionConfiguration()
		if err != nil {
			t.Fatal(err)
		}
		if err := config.Validate(configuration); err != nil {
			t.Fatal(err)
		}
		return configuration.Server.ResourceAdmissionConfiguration
	}
	t.Run("GAC-4 GAC-5 GAC-6 a landscape limits all kinds that members of projects create, except those of gardenlets", func(t *testing.T) {
		limits := limitsOf("")
		if limits.UnrestrictedSubjects[0].Name != "gardener.cloud:system:seeds" || limits.OperationMode != config.ModeBlock {
			t.Errorf("%+v", limits)
		}
		var limited []string
		for _, limit := range limits.Limits {
			for _, kind := range limit.Resources {
				limited = append(limited, strings.TrimSuffix(kind+"."+limit.APIGroups[0], "."))
			}
		}
		slices.Sort(limited)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(projectObjects)), limited); diff != "" {
			t.Errorf("kinds (-counted +limited):\n%s", diff)
		}
	})
	t.Run("GAC-4 a user may set no limits", func(t *testing.T) {
		if limits := limitsOf("server: {resourceAdmissionConfiguration: {limits: []}}"); len(limits.Limits) != 0 {
			t.Errorf("%+v", limits)
		}
	})
}
