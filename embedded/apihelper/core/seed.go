package core

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// AnnotationKeepsOwners with the value "true" says that etcds of a Seed that do not reach the name server of owners go on for the last owner that it named. The
// landscape sets it on its kind seeds, whose name server is in its own process.
const AnnotationKeepsOwners = "landscape.gardener.cloud/keeps-owners"

// AnnotationSharesBackups with the value "true" says that buckets of provider local are directories of the landscape which the nodes of a Seed have, and with the value
// "false" that they have none. The gardenlet sets it on its Seed. Backups in such buckets are copied only between seeds that have them.
const AnnotationSharesBackups = "landscape.gardener.cloud/shares-backups"

// StopsForOthers reports whether an etcd on a seed is sure to stop some time after another seed owns it, also if nothing there is reached any more. The etcd
// of a nil seed does not exist.
func StopsForOthers(seed *core.Seed) bool {
	return ChecksOwners(seed) && seed.Annotations[AnnotationKeepsOwners] != "true"
}

// ChecksOwners reports whether control planes on a seed check who owns them. A Seed whose setting is not set does not check, nor does nil.
func ChecksOwners(seed *core.Seed) bool {
	return seed != nil && seed.Spec.Settings != nil && seed.Spec.Settings.OwnerChecks != nil && seed.Spec.Settings.OwnerChecks.Enabled
}

// SharesBackups reports whether the nodes of a seed may have the directories in which the landscape has the buckets of provider local. It is not known of a seed
// whose gardenlet has not said it: it may have been dead since before gardenlets did.
func SharesBackups(seed *core.Seed) bool { return seed.Annotations[AnnotationSharesBackups] != "false" }
