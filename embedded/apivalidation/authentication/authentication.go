// Package authentication validates the bodies of the kubeconfig subresources of shoots. It expects defaulted objects.
package authentication

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	authentication "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
)

// shortestLife is the least life of a kubeconfig in seconds. It allows for clock skew.
const shortestLife = 600

// ValidateAdminKubeconfigRequest validates a request for a kubeconfig with all permissions.
func ValidateAdminKubeconfigRequest(request *authentication.AdminKubeconfigRequest) field.ErrorList {
	return validateExpiration(request.Spec.ExpirationSeconds)
}

// ValidateViewerKubeconfigRequest validates a request for a kubeconfig with read permissions.
func ValidateViewerKubeconfigRequest(request *authentication.ViewerKubeconfigRequest) field.ErrorList {
	return validateExpiration(request.Spec.ExpirationSeconds)
}

func validateExpiration(seconds *int64) field.ErrorList {
	if seconds == nil || *seconds >= shortestLife && *seconds <= math.MaxUint32 {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "expirationSeconds"), *seconds, "must be between 10 minutes and 2^32-1 seconds")}
}
