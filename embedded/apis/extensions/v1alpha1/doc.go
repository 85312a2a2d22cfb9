// Package v1alpha1 holds the kinds of the group extensions.gardener.cloud: what a seed asks of the extensions, kind by
// kind, and how they answer. All kinds but Cluster share DefaultSpec and DefaultStatus and are Objects, so that
// controllers can treat them alike. It holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=extensions.gardener.cloud
package v1alpha1
