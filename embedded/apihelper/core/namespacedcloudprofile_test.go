package core

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestMergeCloudProfile(t *testing.T) {
	early, late := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	version := func(v string, end *metav1.Time) core.ExpirableVersion {
		return core.ExpirableVersion{Version: v, ExpirationDate: end}
	}
	image := func(name string, versions ...core.ExpirableVersion) core.MachineImage {
		out := core.MachineImage{Name: name}
		for _, v := range versions {
			out.Versions = append(out.Versions, core.MachineImageVersion{ExpirableVersion: v})
		}
		return out
	}
	parent := &core.CloudProfileSpec{
		Type: "local", CABundle: new("one"), Limits: &core.Limits{MaxNodesTotal: new(int32(9))},
		Kubernetes:    core.KubernetesSettings{Versions: []core.ExpirableVersion{version("1.30.0", &early), version("1.31.0", nil)}},
		MachineImages: []core.MachineImage{image("linux", version("1.0.0", &early))},
		MachineTypes:  []core.MachineType{{Name: "small", Architecture: new("amd64")}},
		VolumeTypes:   []core.VolumeType{{Name: "fast", Class: "a"}},
	}
	before := parent.DeepCopy()
	for name, tc := range map[string]struct {
		own    core.NamespacedCloudProfileSpec
		change func(*core.CloudProfileSpec)
	}{
		"a profile that says nothing offers what its parent offers": {core.NamespacedCloudProfileSpec{}, func(*core.CloudProfileSpec) {}},
		"versions of Kubernetes end when the profile says so, unknown ones stay unknown": {
			core.NamespacedCloudProfileSpec{Kubernetes: &core.KubernetesSettings{Versions: []core.ExpirableVersion{version("1.30.0", &late), version("1.99.0", &late)}}},
			func(s *core.CloudProfileSpec) { s.Kubernetes.Versions[0].ExpirationDate = &late }},
		"images get versions, later ends and company": {
			core.NamespacedCloudProfileSpec{MachineImages: []core.MachineImage{image("linux", version("1.0.0", &late), version("2.0.0", nil)), image("own", version("1.0.0", nil))}},
			func(s *core.CloudProfileSpec) {
				s.MachineImages = []core.MachineImage{image("linux", version("1.0.0", &late), version("2.0.0", nil)), image("own", version("1.0.0", nil))}
			}},
		"machine and volume types are added, the parent's stay what they are": {
			core.NamespacedCloudProfileSpec{
				MachineTypes: []core.MachineType{{Name: "small", Architecture: new("arm64")}, {Name: "big"}},
				VolumeTypes:  []core.VolumeType{{Name: "fast", Class: "b"}, {Name: "slow"}}},
			func(s *core.CloudProfileSpec) {
				s.MachineTypes = append(s.MachineTypes, core.MachineType{Name: "big"})
				s.VolumeTypes = append(s.VolumeTypes, core.VolumeType{Name: "slow"})
			}},
		"limits sink": {core.NamespacedCloudProfileSpec{Limits: &core.Limits{MaxNodesTotal: new(int32(3))}},
			func(s *core.CloudProfileSpec) { s.Limits = &core.Limits{MaxNodesTotal: new(int32(3))} }},
		"limits do not rise": {core.NamespacedCloudProfileSpec{Limits: &core.Limits{MaxNodesTotal: new(int32(30))}}, func(*core.CloudProfileSpec) {}},
		"bundles are joined, configuration for the provider is replaced": {
			core.NamespacedCloudProfileSpec{CABundle: new("two"), ProviderConfig: &runtime.RawExtension{Raw: []byte(`{}`)}},
			func(s *core.CloudProfileSpec) {
				s.CABundle, s.ProviderConfig = new("one\ntwo"), &runtime.RawExtension{Raw: []byte(`{}`)}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			want := parent.DeepCopy()
			tc.change(want)
			if diff := cmp.Diff(want, MergeCloudProfile(parent, &tc.own)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(before, parent); diff != "" {
				t.Errorf("the parent was changed\n%s", diff)
			}
		})
	}
}
