// Package v1alpha1 holds the kind Hvpa of the group autoscaling.k8s.io. A seed has it if its gardenlet scales the etcds of shoots. It
// holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=autoscaling.k8s.io
package v1alpha1
