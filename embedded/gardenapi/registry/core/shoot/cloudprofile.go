package shoot

import (
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const kindCloudProfile = "CloudProfile"

// firstVersionWithoutProfileName is the first Kubernetes minor for which shoots may name their profile only by
// spec.cloudProfile.
var firstVersionWithoutProfileName = version.MajorMinor(1, 34)

// cloudProfile is what the shoot refers to, in whichever of the two fields.
func cloudProfile(s *core.Shoot) core.CloudProfileReference {
	if s.Spec.CloudProfile != nil {
		return *s.Spec.CloudProfile
	}
	if name := ptr.Deref(s.Spec.CloudProfileName, ""); name != "" {
		return core.CloudProfileReference{Kind: kindCloudProfile, Name: name}
	}
	return core.CloudProfileReference{}
}

// cloudProfileName is the name of a CloudProfile, and "" for profiles of a project.
func cloudProfileName(s *core.Shoot) string {
	if ref := cloudProfile(s); ref.Kind == kindCloudProfile {
		return ref.Name
	}
	return ""
}

// syncCloudProfile makes the old field and the new one say the same. The one that changed wins, the new one in doubt.
// Where the old field is forbidden it is dropped, so that manifests of older releases still apply.
func syncCloudProfile(s, old *core.Shoot) {
	if nameChanged(s, old) && (s.Spec.CloudProfile == nil || !refChanged(s, old)) {
		s.Spec.CloudProfile = &core.CloudProfileReference{Kind: kindCloudProfile, Name: *s.Spec.CloudProfileName}
	}
	ref := s.Spec.CloudProfile
	if ref == nil {
		return
	}
	if ref.Kind == "" {
		ref.Kind = kindCloudProfile
	}
	s.Spec.CloudProfileName = nil
	if ref.Kind == kindCloudProfile && !withoutProfileName(s.Spec.Kubernetes.Version) {
		s.Spec.CloudProfileName = ptr.To(ref.Name)
	}
}

func nameChanged(s, old *core.Shoot) bool {
	name := ptr.Deref(s.Spec.CloudProfileName, "")
	return name != "" && (old == nil || name != cloudProfileName(old))
}

func refChanged(s, old *core.Shoot) bool {
	return old == nil || *s.Spec.CloudProfile != cloudProfile(old)
}

func withoutProfileName(kubernetes string) bool {
	v, err := version.ParseGeneric(kubernetes)
	return err == nil && v.AtLeast(firstVersionWithoutProfileName)
}
