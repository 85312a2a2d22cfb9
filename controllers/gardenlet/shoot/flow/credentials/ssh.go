package credentials

import (
	"context"
	"fmt"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// SSHKeypair generates the SSH key of the nodes. This takes a while, so only flows that need the key generate it.
func SSHKeypair(ctx context.Context, shoot *gardencorev1beta1.Shoot, secrets *secretsmanager.Manager) ([]byte, error) {
	if !operation.SSHAccess(shoot) {
		return nil, nil
	}
	config := secretsmanager.Key{Name: constants.SecretNameSSHKeyPair, RSABits: 4096, SSH: true}
	secret, err := secrets.Generate(ctx, config, secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld))
	if err != nil {
		return nil, fmt.Errorf("generate SSH key: %w", err)
	}
	return secret.Data[secretsmanager.KeyRSAPublic], nil
}
