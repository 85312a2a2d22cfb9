// Package tokeninvalidator replaces static tokens before they are stored, in Secrets that are labelled for that. The
// controller of the same name does so afterwards, and in all others.
package tokeninvalidator

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokeninvalidator"
)

// Mutate changes Secrets that hold a token.
func Mutate(_ context.Context, secret *corev1.Secret) error {
	if secret.Type == corev1.SecretTypeServiceAccountToken && len(secret.Data[corev1.ServiceAccountTokenKey]) > 0 {
		secret.Data[corev1.ServiceAccountTokenKey] = tokeninvalidator.Invalid()
	}
	return nil
}
