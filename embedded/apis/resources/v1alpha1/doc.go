// Package v1alpha1 holds the kind of the group resources.gardener.cloud: a ManagedResource keeps the objects
// described in secrets applied to a cluster. It holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=resources.gardener.cloud
package v1alpha1
