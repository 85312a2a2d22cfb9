// Package v1alpha1 holds the kinds of the group operator.gardener.cloud: a Garden describes the virtual garden and what
// runs it, an Extension what is registered there. It holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=operator.gardener.cloud
package v1alpha1
