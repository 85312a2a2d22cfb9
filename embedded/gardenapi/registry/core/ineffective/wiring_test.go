package ineffective_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/cloudprofile"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/namespacedcloudprofile"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/project"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/seed"
)

func TestStrategiesWarn(t *testing.T) {
	machineTypes := []core.MachineType{{Name: "a", Storage: &core.MachineTypeStorage{Type: "ssd"}}}
	const ofType = "spec.machineTypes[].storage.type is stored, but has no effect in this version"
	for kind, tc := range map[string]struct{ got, want []string }{
		"Seed": {
			seed.Definition().Strategy.Warnings(t.Context(), &core.Seed{Spec: core.SeedSpec{Volume: &core.SeedVolume{}}}, nil),
			[]string{"spec.volume is stored, but has no effect in this version"},
		},
		"CloudProfile": {
			cloudprofile.Definition().Strategy.Warnings(t.Context(), &core.CloudProfile{Spec: core.CloudProfileSpec{MachineTypes: machineTypes}}, nil), []string{ofType},
		},
		"NamespacedCloudProfile": {
			namespacedcloudprofile.Definition().Strategy.Warnings(t.Context(),
				&core.NamespacedCloudProfile{Spec: core.NamespacedCloudProfileSpec{MachineTypes: machineTypes}}, nil), []string{ofType},
		},
		"Project": {project.Definition().Strategy.Warnings(t.Context(), &core.Project{}, nil), nil},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", kind, diff)
		}
	}
}
