package core

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ChecksOwners reports whether control planes on a seed check who owns them. A Seed whose setting is not set does not check, nor does nil.
func ChecksOwners(seed *core.Seed) bool {
	return seed != nil && seed.Spec.Settings != nil && seed.Spec.Settings.OwnerChecks != nil && seed.Spec.Settings.OwnerChecks.Enabled
}
