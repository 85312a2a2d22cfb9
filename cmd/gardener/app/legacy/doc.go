// Package legacy converts manifests of garden.sapcloud.io/v1beta1 and of the first versions of core.gardener.cloud to
// core.gardener.cloud/v1beta1. What has a successor is carried over, what has none is refused with its path, and what has
// lost its meaning is left out with a note: nothing is lost silently. It reads and writes documents, knows nothing about
// clusters, and does not validate beyond fields and their types.
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
