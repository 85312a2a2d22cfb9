// Package seccompprofile sets the default seccomp profile of the container runtime on pods without a profile.
package seccompprofile

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Mutate sets the profile of the pod. It does not change profiles of single containers, which take precedence.
func Mutate(_ context.Context, pod *corev1.Pod) error {
	if pod.Spec.SecurityContext == nil {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	if pod.Spec.SecurityContext.SeccompProfile == nil {
		pod.Spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	}
	return nil
}
