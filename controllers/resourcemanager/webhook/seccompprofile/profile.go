// Package seccompprofile lets pods run with the container runtime's default profile when they name none.
package seccompprofile

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Mutate sets the profile of the pod. Profiles of single containers are left alone and win.
func Mutate(_ context.Context, pod *corev1.Pod) error {
	if pod.Spec.SecurityContext == nil {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	if pod.Spec.SecurityContext.SeccompProfile == nil {
		pod.Spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	}
	return nil
}
