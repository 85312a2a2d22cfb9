// Package tokeninvalidator replaces static tokens in labelled Secrets before they are stored. The controller of the
// same name handles all other Secrets after they are stored.
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
