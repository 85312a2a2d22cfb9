package shootvalidator

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(hours int) *metav1.Time {
	return ptr.To(metav1.NewTime(now.Add(time.Duration(hours) * time.Hour)))
}

func TestKubernetesVersion(t *testing.T) {
	versions := []core.ExpirableVersion{
		{Version: "1.34.1", ExpirationDate: at(-1)},
		{Version: "1.35.2", Classification: ptr.To(core.ClassificationDeprecated)},
		{Version: "1.35.10", ExpirationDate: at(1)},
		{Version: "1.35.9"},
		{Version: "1.36.1", Lifecycle: []core.LifecycleStage{{Classification: core.ClassificationPreview}, {Classification: core.ClassificationSupported, StartTime: at(1)}}},
	}
	for name, tc := range map[string]struct {
		wanted, old, got string
		refused          bool
	}{
		"ADM-26 VER-6 nothing means the newest supported one":     {"", "", "1.35.10", false},
		"ADM-26 VER-6 a minor means its newest supported patch":   {"1.35", "", "1.35.10", false},
		"a dot at the end does no harm":                           {"1.35.", "", "1.35.10", false},
		"VER-6 a minor that is in preview has nothing to choose":  {"1.36", "", "1.36", true},
		"a preview can be spelled out":                            {"1.36.1", "", "1.36.1", false},
		"VER-7 a deprecated version can be spelled out":           {"1.35.2", "", "1.35.2", false},
		"ADM-24 VER-2 an expired version is refused":              {"1.34.1", "", "1.34.1", true},
		"an existing shoot keeps its expired version":             {"1.34.1", "1.34.1", "1.34.1", false},
		"a minor applied again does not update an existing shoot": {"1.35", "1.35.2", "1.35.2", false},
		"another minor updates it":                                {"1.35", "1.34.1", "1.35.10", false},
		"ADM-24 an unknown version is refused":                    {"1.35.3", "1.35.2", "1.35.3", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{profile: &core.CloudProfileSpec{Kubernetes: core.KubernetesSettings{Versions: versions}}, shoot: &core.Shoot{}, now: now}
			c.shoot.Spec.Kubernetes.Version = tc.wanted
			if tc.old != "" {
				c.old = &core.Shoot{}
				c.old.Spec.Kubernetes.Version = tc.old
			}
			c.kubernetes(field.NewPath("version"))
			if got := c.shoot.Spec.Kubernetes.Version; got != tc.got || (len(c.errs) > 0) != tc.refused {
				t.Errorf("got %q and errors %v, want %q, refused: %t", got, c.errs, tc.got, tc.refused)
			}
		})
	}
}

func TestVersionOfPool(t *testing.T) {
	versions := []core.ExpirableVersion{{Version: "1.34.1", ExpirationDate: at(-1)}, {Version: "1.35.2"}, {Version: "1.35.9"}, {Version: "1.36.3"}}
	for name, tc := range map[string]struct {
		wanted, old, got string
		refused          bool
	}{
		"no version is the control plane's":               {"", "", "", false},
		"the control plane's minor means its version":     {"1.36", "", "1.36.3", false},
		"another minor means its newest patch":            {"1.35", "", "1.35.9", false},
		"an offered version":                              {"1.35.2", "", "1.35.2", false},
		"VER-2 an expired version is refused":             {"1.34.1", "", "1.34.1", true},
		"a pool keeps its expired version":                {"1.34.1", "1.34.1", "1.34.1", false},
		"a minor applied again leaves a pool as it is":    {"1.35", "1.35.2", "1.35.2", false},
		"ADM-24 a version that is not offered is refused": {"1.35.3", "1.35.2", "1.35.3", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{profile: &core.CloudProfileSpec{Kubernetes: core.KubernetesSettings{Versions: versions}}, shoot: &core.Shoot{}, now: now}
			c.shoot.Spec.Kubernetes.Version = "1.36.3"
			worker := &core.Worker{Name: "w", Kubernetes: &core.WorkerKubernetes{Version: &tc.wanted}}
			var old *core.Worker
			if tc.old != "" {
				c.old, old = c.shoot, &core.Worker{Name: "w", Kubernetes: &core.WorkerKubernetes{Version: &tc.old}}
			}
			poolCheck{c, worker, old}.kubernetes(field.NewPath("version"))
			if got := *worker.Kubernetes.Version; got != tc.got || (len(c.errs) > 0) != tc.refused {
				t.Errorf("got %q and errors %v, want %q, refused: %t", got, c.errs, tc.got, tc.refused)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	deprecated := ptr.To(core.ClassificationDeprecated)
	for name, tc := range map[string]struct {
		version core.ExpirableVersion
		want    []string
	}{
		"VER-7 a deprecated version is told with its end": {core.ExpirableVersion{Version: "1.35.2", Classification: deprecated, ExpirationDate: at(24)}, []string{"path: version 1.35.2 is deprecated and expires on 2026-01-03"}},
		"VER-7 a deprecated version without an end":       {core.ExpirableVersion{Version: "1.35.2", Classification: deprecated}, []string{"path: version 1.35.2 is deprecated"}},
		"a supported version that will end":               {core.ExpirableVersion{Version: "1.35.2", ExpirationDate: at(24)}, []string{"path: version 1.35.2 expires on 2026-01-03"}},
		"stages have the end, too": {core.ExpirableVersion{Version: "1.35.2", Lifecycle: []core.LifecycleStage{
			{Classification: core.ClassificationDeprecated}, {Classification: core.ClassificationExpired, StartTime: at(24)},
		}}, []string{"path: version 1.35.2 is deprecated and expires on 2026-01-03"}},
		"a supported version": {core.ExpirableVersion{Version: "1.35.2"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{now: now}
			c.note(tc.version, field.NewPath("path"))
			if diff := cmp.Diff(tc.want, c.notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMachineImage(t *testing.T) {
	image := func(name string, versions ...string) *core.ShootMachineImage {
		i := &core.ShootMachineImage{Name: name}
		for _, v := range versions {
			i.Version = &v
		}
		return i
	}
	profile := &core.CloudProfileSpec{MachineImages: []core.MachineImage{
		{Name: "arm", Versions: []core.MachineImageVersion{{ExpirableVersion: core.ExpirableVersion{Version: "9.0.0"}, Architectures: []string{"arm64"}}}},
		{Name: "local", Versions: []core.MachineImageVersion{
			{ExpirableVersion: core.ExpirableVersion{Version: "1.2.0"}},
			{ExpirableVersion: core.ExpirableVersion{Version: "1.10.0"}},
			{ExpirableVersion: core.ExpirableVersion{Version: "2.0.0", Classification: ptr.To(core.ClassificationPreview)}},
			{ExpirableVersion: core.ExpirableVersion{Version: "1.0.0", ExpirationDate: at(-1)}},
		}},
	}}
	for name, tc := range map[string]struct {
		wanted, old, got *core.ShootMachineImage
		refused          bool
	}{
		"ADM-26 nothing means the newest of the first image for the architecture": {nil, nil, image("local", "1.10.0"), false},
		"ADM-26 a name means its newest version":                                  {image("local"), nil, image("local", "1.10.0"), false},
		"an existing pool keeps its image":                                        {nil, image("local", "1.0.0"), image("local", "1.0.0"), false},
		"an existing pool keeps its version":                                      {image("local"), image("local", "1.2.0"), image("local", "1.2.0"), false},
		"a preview can be spelled out":                                            {image("local", "2.0.0"), nil, image("local", "2.0.0"), false},
		"ADM-24 an expired version is refused":                                    {image("local", "1.0.0"), nil, image("local", "1.0.0"), true},
		"ADM-24 an image for another architecture is refused":                     {image("arm", "9.0.0"), nil, image("arm", "9.0.0"), true},
		"ADM-24 an unknown image is refused":                                      {image("x"), nil, image("x"), true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{profile: profile, shoot: &core.Shoot{}, now: now}
			worker := &core.Worker{Name: "w", Machine: core.Machine{Image: tc.wanted}}
			if tc.old != nil {
				c.old = &core.Shoot{}
				c.old.Spec.Provider.Workers = []core.Worker{{Name: "w", Machine: core.Machine{Image: tc.old}}}
			}
			c.pool(worker).image(field.NewPath("image"))
			got := worker.Machine.Image
			if got.Name != tc.got.Name || !ptr.Equal(got.Version, tc.got.Version) || (len(c.errs) > 0) != tc.refused {
				t.Errorf("got %s %s and errors %v", got.Name, ptr.Deref(got.Version, "-"), c.errs)
			}
		})
	}
}
