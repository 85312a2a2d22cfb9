package ineffective

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestEveryPathExists(t *testing.T) {
	for kind, table := range map[reflect.Type][]Field{
		reflect.TypeFor[core.Shoot](): Shoot.Fields, reflect.TypeFor[core.Seed](): Seed.Fields, reflect.TypeFor[core.Project](): Project.Fields,
		reflect.TypeFor[core.CloudProfile](): CloudProfile.Fields, reflect.TypeFor[core.NamespacedCloudProfile](): NamespacedCloudProfile.Fields,
	} {
		for _, field := range table {
			at := kind
			for key := range strings.SplitSeq(field.Path, ".") {
				for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice {
					at = at.Elem()
				}
				at = fieldOf(reflect.New(at).Elem(), strings.TrimSuffix(key, "[]")).Type()
			}
		}
	}
}

func TestShoot(t *testing.T) {
	const warning = "spec.provider.workers[].controlPlane is stored, but has no effect in this version"
	shoot := &core.Shoot{}
	shoot.Spec.Provider.Workers = []core.Worker{{Name: "a"}, {Name: "b"}}
	core.SetObjectDefaults_Shoot(shoot)
	expect(t, "defaults", Shoot.Warnings(t.Context(), shoot, nil))
	shoot.Spec.Provider.Workers[1].ControlPlane = &core.WorkerControlPlane{}
	expect(t, "a worker for control planes", Shoot.Warnings(t.Context(), shoot, nil), warning)
	expect(t, "no change", Shoot.Warnings(t.Context(), shoot, shoot.DeepCopy()))
	old := shoot.DeepCopy()
	old.Spec.Provider.Workers[1].ControlPlane = nil
	expect(t, "a change", Shoot.Warnings(t.Context(), shoot, old), warning)
	shoot.Spec.Provider.Workers[1].ControlPlane = nil
	shoot.Spec.Kubernetes.KubeAPIServer.EnableBasicAuthentication = ptr.To(true)
	expect(t, "a replacement is named", Shoot.Warnings(t.Context(), shoot, nil),
		"spec.kubernetes.kubeAPIServer.enableBasicAuthentication is stored, but has no effect in this version; use the subresource adminkubeconfig instead")
}

func TestSeed(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*core.SeedSpec)
		want   []string
	}{
		"defaults": {change: func(*core.SeedSpec) {}},
		"switches that are off": {change: func(s *core.SeedSpec) {
			s.Settings.VerticalPodAutoscaler = &core.SeedSettingVerticalPodAutoscaler{}
			s.Settings.DependencyWatchdog.Weeder.Enabled = false
			s.Settings.ExcessCapacityReservation = &core.SeedSettingExcessCapacityReservation{Enabled: ptr.To(false)}
			s.Settings.OwnerChecks = &core.SeedSettingOwnerChecks{}
		}},
		"a switch that is on": {
			change: func(s *core.SeedSpec) {
				s.Settings.TopologyAwareRouting = &core.SeedSettingTopologyAwareRouting{Enabled: true}
			},
			want: []string{"spec.settings.topologyAwareRouting is stored, but has no effect in this version"},
		},
		"a value and its replacement": {
			change: func(s *core.SeedSpec) { s.DNS.IngressDomain = ptr.To("seed.example.org") },
			want:   []string{"spec.dns.ingressDomain is stored, but has no effect in this version; use spec.ingress.domain instead"},
		},
		"a provider's document": {
			change: func(s *core.SeedSpec) { s.Provider.ProviderConfig = &runtime.RawExtension{Raw: []byte("{}")} },
			want:   []string{"spec.provider.providerConfig is stored, but has no effect in this version"},
		},
	} {
		seed := &core.Seed{}
		core.SetObjectDefaults_Seed(seed)
		tc.change(&seed.Spec)
		core.SetObjectDefaults_Seed(seed)
		expect(t, name, Seed.Warnings(t.Context(), seed, nil), tc.want...)
	}
}

func TestProfiles(t *testing.T) {
	types := []core.MachineType{{Name: "a", Storage: &core.MachineTypeStorage{Class: "standard"}}, {Name: "b", Storage: &core.MachineTypeStorage{Type: "ssd"}}}
	const warning = "spec.machineTypes[].storage.type is stored, but has no effect in this version"
	profile := &core.CloudProfile{Spec: core.CloudProfileSpec{MachineTypes: types[:1], Regions: []core.Region{{Name: "eu"}}}}
	core.SetObjectDefaults_CloudProfile(profile)
	expect(t, "an ordinary profile", CloudProfile.Warnings(t.Context(), profile, nil))
	profile.Spec.MachineTypes = types
	profile.Spec.Regions[0].Labels = map[string]string{"a": "b"}
	expect(t, "a profile", CloudProfile.Warnings(t.Context(), profile, nil), warning, "spec.regions[].labels is stored, but has no effect in this version")
	namespaced := &core.NamespacedCloudProfile{Spec: core.NamespacedCloudProfileSpec{MachineTypes: types}}
	core.SetObjectDefaults_NamespacedCloudProfile(namespaced)
	expect(t, "a profile of a project", NamespacedCloudProfile.Warnings(t.Context(), namespaced, nil), warning)
	project := &core.Project{Spec: core.ProjectSpec{Description: ptr.To("a")}}
	expect(t, "a project", Project.Warnings(t.Context(), project, nil))
}

func expect(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: warnings (-want +got):\n%s", name, diff)
	}
}
