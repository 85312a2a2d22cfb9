package core

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Kinds that a shoot's cloudProfile may refer to.
const (
	KindCloudProfile           = "CloudProfile"
	KindNamespacedCloudProfile = "NamespacedCloudProfile"
)

// CloudProfileReference returns the reference to the profile of a shoot, from either form. It is nil if there is none.
func CloudProfileReference(spec *core.ShootSpec) *core.CloudProfileReference {
	switch {
	case spec.CloudProfile != nil:
		reference := *spec.CloudProfile
		if reference.Kind == "" {
			reference.Kind = KindCloudProfile
		}
		return &reference
	case spec.CloudProfileName != nil && *spec.CloudProfileName != "":
		return &core.CloudProfileReference{Kind: KindCloudProfile, Name: *spec.CloudProfileName}
	default:
		return nil
	}
}

// SyncCloudProfile makes both forms of the reference equal after a write. The form that the write changed wins. If both
// changed, the new form wins. The old form, which cannot name a NamespacedCloudProfile, is kept only if it was set before.
// old is nil for a creation.
func SyncCloudProfile(spec, old *core.ShootSpec) {
	if old != nil && oldFormChanged(spec, old) && !newFormChanged(spec, old) {
		if spec.CloudProfileName != nil {
			spec.CloudProfile = &core.CloudProfileReference{Kind: KindCloudProfile, Name: *spec.CloudProfileName}
		}
		return
	}
	spec.CloudProfile = CloudProfileReference(spec)
	if spec.CloudProfile == nil || spec.CloudProfileName == nil {
		return
	}
	if spec.CloudProfile.Kind == KindCloudProfile {
		spec.CloudProfileName = &spec.CloudProfile.Name
	} else {
		spec.CloudProfileName = nil
	}
}

func oldFormChanged(spec, old *core.ShootSpec) bool {
	return spec.CloudProfileName != nil && (old.CloudProfileName == nil || *spec.CloudProfileName != *old.CloudProfileName)
}

func newFormChanged(spec, old *core.ShootSpec) bool {
	return spec.CloudProfile != nil && (old.CloudProfile == nil || *spec.CloudProfile != *old.CloudProfile)
}
