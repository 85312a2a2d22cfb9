// Package legacy converts manifests of garden.sapcloud.io/v1beta1 and of the first versions of core.gardener.cloud to
// core.gardener.cloud/v1beta1. A field that has a successor is carried over. A field without a successor is refused with its path. A
// field that has lost its meaning is left out with a note. Nothing is lost silently. The package reads and writes documents. It
// knows nothing about clusters, and validates only fields and their types.
//
//	convert.go    which object is converted how
//	node.go       how documents are read, so that every field is accounted for
//	metadata.go   labels and annotations
//	project.go    members and viewers
//	small.go      quotas, bindings of secrets
//	backup.go     backup infrastructures
//	seed.go       seeds
//	profile.go    profiles; images.go their machine images
//	shoot.go      shoots; dns.go, addons.go, workers.go parts of them
//	cloud.go      the section of a shoot about one provider; provider.go what it becomes
package legacy
