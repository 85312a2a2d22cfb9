// Package credentials generates the certificate authorities, keys and tokens that several components of a shoot use.
package credentials

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Initialize generates the CAs and keys that several components use.
func (c Credentials) Initialize(ctx context.Context) (Made, error) {
	sm, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: c.Space.Client, Writer: c.Space.Client, Clock: c.Clock,
		Namespace: c.Space.Name, Identity: constants.SecretManagerIdentityGardenlet, Rotations: rotations(c.Shoot),
	})
	if err != nil {
		return Made{}, err
	}
	phases := PhasesOf(c.Shoot)
	options := func(phase gardencorev1beta1.CredentialsRotationPhase) []secretsmanager.Option {
		out := []secretsmanager.Option{secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld)}
		if phase == gardencorev1beta1.RotationCompleting {
			out = append(out, secretsmanager.IgnoreOld())
		}
		return out
	}
	for _, ca := range authorities {
		if ca.workers && helper.IsWorkerless(c.Shoot) {
			continue
		}
		config := secretsmanager.Certificate{Name: ca.name, CommonName: ca.commonName, Usage: secretsmanager.CA}
		if _, err := sm.Generate(ctx, config, options(phases.CA)...); err != nil {
			return Made{}, err
		}
	}
	if _, err := sm.Generate(ctx, secretsmanager.Key{Name: constants.SecretNameServiceAccountKey}, options(phases.ServiceAccountKey)...); err != nil {
		return Made{}, err
	}
	encryption := secretsmanager.EncryptionKey{Name: constants.SecretNameETCDEncryptionKey, Bytes: 32}
	if _, err := sm.Generate(ctx, encryption, c.encryptionKeyOptions(phases.EncryptionKey)...); err != nil {
		return Made{}, err
	}
	observability := secretsmanager.BasicAuth{Name: constants.SecretNameObservabilityIngressUsers, Username: "admin", PasswordLength: 32}
	for _, config := range []secretsmanager.Config{c.staticTokens(), observability} {
		if _, err := sm.Generate(ctx, config, secretsmanager.Persist()); err != nil {
			return Made{}, err
		}
	}
	made := Made{Manager: sm}
	if c.Exposure.Tunnelled() {
		if made.Tunnel, err = c.Exposure.TunnelMode().GenerateSecrets(ctx, sm); err != nil {
			return Made{}, err
		}
	}
	return made, c.deployAccessSecrets(ctx, sm)
}

// encryptionKeyOptions keep the old key until no object needs it. A deletion drops no key, since it rewrites nothing.
func (c Credentials) encryptionKeyOptions(phase gardencorev1beta1.CredentialsRotationPhase) []secretsmanager.Option {
	out := []secretsmanager.Option{secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld)}
	if phase == gardencorev1beta1.RotationCompleting && c.Shoot.DeletionTimestamp == nil {
		out = append(out, secretsmanager.IgnoreOldIf(ObjectsRewritten))
	}
	return out
}

// ObjectsRewritten reports whether all objects of the shoot are encrypted with the key in the Secret.
func ObjectsRewritten(key *corev1.Secret) bool {
	return key.Annotations[constants.AnnotationObjectsRewritten] == "true"
}

// staticTokens are the tokens of the probes of kube-apiserver and, if the Shoot wants it, of the kubeconfig that never
// expires.
func (c Credentials) staticTokens() secretsmanager.StaticTokens {
	tokens := secretsmanager.StaticTokens{Name: constants.SecretNameKubeAPIServerStaticToken, Tokens: []secretsmanager.StaticToken{
		{Username: kubeapiserver.HealthCheckUser, UserID: "health-check"},
	}}
	if operation.StaticTokenKubeconfig(c.Shoot) {
		tokens.Tokens = append(tokens.Tokens, secretsmanager.StaticToken{Username: kubeapiserver.ClusterAdmin, UserID: "admin", Groups: []string{"system:masters"}})
	}
	return tokens
}
