package system

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// extensionTrust is the ConfigMap by which extension API servers know whom to trust.
const extensionTrust = "extension-apiserver-authentication"

// WithdrawTrust removes the old authorities of a rotation from the ConfigMap of authorities that extension API servers trust.
// kube-apiserver only adds to this ConfigMap. Without WithdrawTrust, extension API servers would accept old client certificates
// until the old authorities expire. When it runs, no API server may be running that still adds the old authorities.
func (c Components) WithdrawTrust(ctx context.Context, made credentials.Made, shoot connection.Connection) error {
	patch, err := json.Marshal(map[string]any{"data": map[string]string{
		"client-ca-file":               string(made.Bundle(constants.SecretNameCAClient).Data[secretsmanager.KeyBundle]),
		"requestheader-client-ca-file": string(made.Bundle(constants.SecretNameCAFrontProxy).Data[secretsmanager.KeyBundle]),
	}})
	if err != nil {
		return fmt.Errorf("encode authorities for extension API servers: %w", err)
	}
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: extensionTrust, Namespace: metav1.NamespaceSystem}}
	if err := shoot.Client.Patch(ctx, configMap, client.RawPatch("application/merge-patch+json", patch), seed.Owner); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write authorities for extension API servers: %w", err)
	}
	return nil // a ConfigMap that does not exist is written by the API server
}
