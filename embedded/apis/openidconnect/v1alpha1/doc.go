// Package v1alpha1 holds the kind OpenIDConnect of the group authentication.gardener.cloud. Shoots serve it as a custom
// resource; the garden serves other kinds of that group by its own API server, which are in package authentication. It
// holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=authentication.gardener.cloud
package v1alpha1
