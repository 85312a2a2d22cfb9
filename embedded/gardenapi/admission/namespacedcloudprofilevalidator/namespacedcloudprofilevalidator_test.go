package namespacedcloudprofilevalidator

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

var early, late, latest = metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0)), metav1.NewTime(time.Unix(3000, 0))

func version(v string, end *metav1.Time) core.ExpirableVersion {
	return core.ExpirableVersion{Version: v, ExpirationDate: end}
}

func image(name, v string, end *metav1.Time) core.MachineImage {
	return core.MachineImage{Name: name, Versions: []core.MachineImageVersion{{ExpirableVersion: version(v, end)}}}
}

func parent() *core.CloudProfile {
	return &core.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "parent"}, Spec: core.CloudProfileSpec{
		Kubernetes:    core.KubernetesSettings{Versions: []core.ExpirableVersion{version("1.30.0", &late), version("1.31.0", nil)}},
		MachineImages: []core.MachineImage{image("linux", "1.0.0", &late)},
		MachineTypes:  []core.MachineType{{Name: "small"}}, VolumeTypes: []core.VolumeType{{Name: "fast"}},
		Limits: &core.Limits{MaxNodesTotal: new(int32(9))},
	}}
}

func profile(change func(*core.NamespacedCloudProfileSpec)) *core.NamespacedCloudProfile {
	p := &core.NamespacedCloudProfile{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "own"}}
	p.Spec.Parent = core.CloudProfileReference{Kind: "CloudProfile", Name: "parent"}
	change(&p.Spec)
	return p
}

func kubernetesVersions(versions ...core.ExpirableVersion) func(*core.NamespacedCloudProfileSpec) {
	return func(s *core.NamespacedCloudProfileSpec) { s.Kubernetes = &core.KubernetesSettings{Versions: versions} }
}

func TestValidate(t *testing.T) {
	type spec = core.NamespacedCloudProfileSpec
	staged := version("1.30.0", &latest)
	staged.Classification = new(core.ClassificationSupported)
	for name, tc := range map[string]struct {
		change  func(*spec)
		refused string
	}{
		"a profile that says nothing":                  {func(*spec) {}, ""},
		"a version that lives longer":                  {kubernetesVersions(version("1.30.0", &latest)), ""},
		"a version that gets an end":                   {kubernetesVersions(version("1.31.0", &early)), ""},
		"a version that ends earlier":                  {kubernetesVersions(version("1.30.0", &early)), "spec.kubernetes.versions[0].expirationDate"},
		"a version without an end":                     {kubernetesVersions(version("1.30.0", nil)), "spec.kubernetes.versions[0].expirationDate: Required"},
		"a version that the parent does not offer":     {kubernetesVersions(version("1.99.0", &late)), "must be a version of the parent"},
		"another stage of a version":                   {kubernetesVersions(staged), "stages of a version"},
		"a further image":                              {func(s *spec) { s.MachineImages = []core.MachineImage{image("own", "1.0.0", &early)} }, ""},
		"a further version of an image":                {func(s *spec) { s.MachineImages = []core.MachineImage{image("linux", "2.0.0", &early)} }, ""},
		"a version of an image that lives longer":      {func(s *spec) { s.MachineImages = []core.MachineImage{image("linux", "1.0.0", &latest)} }, ""},
		"a version of an image that ends earlier":      {func(s *spec) { s.MachineImages = []core.MachineImage{image("linux", "1.0.0", &early)} }, "spec.machineImages[0].versions[0].expirationDate"},
		"a further machine type":                       {func(s *spec) { s.MachineTypes = []core.MachineType{{Name: "big"}} }, ""},
		"a machine type of the parent":                 {func(s *spec) { s.MachineTypes = []core.MachineType{{Name: "big"}, {Name: "small"}} }, "spec.machineTypes[1]: Forbidden: machine type small"},
		"a volume type of the parent":                  {func(s *spec) { s.VolumeTypes = []core.VolumeType{{Name: "fast"}} }, "spec.volumeTypes[0]"},
		"a lower limit":                                {func(s *spec) { s.Limits = &core.Limits{MaxNodesTotal: new(int32(8))} }, ""},
		"a higher limit":                               {func(s *spec) { s.Limits = &core.Limits{MaxNodesTotal: new(int32(10))} }, "spec.limits.maxNodesTotal"},
		"a parent that another plugin complains about": {func(s *spec) { s.Parent.Name, s.Limits = "none", &core.Limits{MaxNodesTotal: new(int32(10))} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(plugin(parent()), admissiontest.Create(profile(tc.change))), tc.refused)
			admissiontest.WantError(t, admissiontest.Admit(plugin(parent()), admissiontest.Update(profile(tc.change), profile(func(*spec) {}))), tc.refused)
		})
	}
	t.Run("what was there before the parent changed may stay, but not change", func(t *testing.T) {
		conflicting := func(s *spec) {
			kubernetesVersions(version("1.30.0", &early))(s)
			s.MachineImages = []core.MachineImage{image("linux", "1.0.0", &early)}
			s.MachineTypes, s.Limits = []core.MachineType{{Name: "small"}}, &core.Limits{MaxNodesTotal: new(int32(10))}
		}
		old := profile(conflicting)
		admissiontest.WantError(t, admissiontest.Admit(plugin(parent()), admissiontest.Update(profile(func(s *spec) {
			conflicting(s)
			s.CABundle = new("x")
		}), old)), "")
		admissiontest.WantError(t, admissiontest.Admit(plugin(parent()), admissiontest.Update(profile(func(s *spec) {
			conflicting(s)
			s.MachineTypes[0].CPU.Set(2)
		}), old)), "spec.machineTypes[0]")
	})
	t.Run("status is not looked at", func(t *testing.T) {
		bad := profile(kubernetesVersions(version("1.99.0", &late)))
		admissiontest.WantError(t, admissiontest.Admit(plugin(parent()), admissiontest.UpdateSub(bad, profile(func(*spec) {}), "status")), "")
	})
	t.Run("a failed look-up is an internal error", func(t *testing.T) {
		p := plugin()
		p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(profile(func(*spec) {}))), "Internal error")
	})
}

func plugin(objects ...runtime.Object) *Plugin {
	p := admissiontest.New[*Plugin](Register)
	p.SetObjects(admissiontest.Objects(objects))
	return p
}
