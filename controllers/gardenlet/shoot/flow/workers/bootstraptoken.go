package workers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
)

// bootstrapToken makes the token with which new machines of a pool request their certificates. It is written to the
// shoot directly rather than through the resource manager, so that it exists before the machines.
func (o OperatingSystems) bootstrapToken(ctx context.Context, made credentials.Made, shoot connection.Connection, pool string) (string, error) {
	config := secretsmanager.BasicAuth{Name: "bootstrap-token-" + pool, Username: secretsmanager.TokenID(operation.UID(o.Shoot), pool), PasswordLength: 16}
	secret, err := made.Generate(ctx, config)
	if err != nil {
		return "", fmt.Errorf("generate bootstrap token: %w", err)
	}
	id, password := string(secret.Data[secretsmanager.KeyUsername]), string(secret.Data[secretsmanager.KeyPassword])
	if shoot.Client == nil { // the shoot is already hibernated: no machine boots
		return id + "." + password, nil
	}
	_, err = patch.Applier{Client: shoot.Client, Owner: seed.Owner}.Apply(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "bootstrap-token-" + id, Namespace: metav1.NamespaceSystem},
		Type:       corev1.SecretTypeBootstrapToken,
		StringData: map[string]string{
			"description":                    "Bootstrap token of the machines of worker pool " + pool,
			"token-id":                       id,
			"token-secret":                   password,
			"usage-bootstrap-authentication": "true",
			"usage-bootstrap-signing":        "true",
			"auth-extra-groups":              "system:bootstrappers:worker-pools",
		},
	})
	return id + "." + password, err
}
