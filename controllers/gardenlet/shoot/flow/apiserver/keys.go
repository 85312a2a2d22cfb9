package apiserver

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// newKeys says which new keys of rotations are in use: those that all API servers have. Two API servers run during a roll-out,
// and each must be able to read what the other writes and to verify the tokens that it signs.
type newKeys struct{ encrypt, sign bool }

// UseNewKeys makes the new keys of rotations encrypt and sign, after all API servers have got them. When it returns, no API server signs
// with an old key any more.
func (s Server) UseNewKeys(ctx context.Context, made credentials.Made, clusterIP string) error {
	used, err := s.usedKeys(ctx, made)
	if err != nil {
		return err
	}
	if !used.encrypt || !used.sign {
		if err := s.awaitFormer(ctx); err != nil {
			return err
		}
		if err := s.deploy(ctx, made, clusterIP, newKeys{encrypt: true, sign: true}); err != nil {
			return err
		}
	}
	return s.awaitFormer(ctx)
}

// awaitFormer waits until the Deployment is rolled out, and the API servers that it has replaced have ended. While they end, they still serve
// the clients that are connected, with the keys that they have.
func (s Server) awaitFormer(ctx context.Context) error {
	if err := s.Await(ctx); err != nil {
		return err
	}
	return s.Space.AwaitEnded(ctx, kubeapiserver.Labels())
}

// usedKeys reads which new keys all API servers are known to have. Without a rotation the present keys count as used.
func (s Server) usedKeys(ctx context.Context, made credentials.Made) (newKeys, error) {
	encryption, tokens := made.Current(constants.SecretNameETCDEncryptionKey), made.Current(constants.SecretNameServiceAccountKey)
	used := newKeys{
		encrypt: made.Old(constants.SecretNameETCDEncryptionKey) == nil || credentials.ObjectsRewritten(encryption),
		sign:    made.Old(constants.SecretNameServiceAccountKey) == nil || !credentials.Preparing(credentials.PhasesOf(s.Shoot).ServiceAccountKey),
	}
	if used.encrypt && used.sign {
		return used, nil
	}
	deployment := &appsv1.Deployment{}
	err := s.Space.Client.Get(ctx, client.ObjectKey{Namespace: s.Space.Name, Name: names.APIServer}, deployment)
	if client.IgnoreNotFound(err) != nil {
		return newKeys{}, fmt.Errorf("read deployment %q: %w", names.APIServer, err)
	}
	used.encrypt = used.encrypt || deployment.Annotations[constants.AnnotationNewEncryptionKeyPopulated] == encryption.Name
	used.sign = used.sign || deployment.Annotations[constants.AnnotationNewServiceAccountKeyPopulated] == tokens.Name
	return used, nil
}

// choose sets the keys that encrypt and sign.
func (used newKeys) choose(made credentials.Made, values *kubeapiserver.Values) {
	values.PopulatedKeys = map[string]string{}
	current, old := made.Current(constants.SecretNameETCDEncryptionKey), made.Old(constants.SecretNameETCDEncryptionKey)
	switch {
	case old == nil:
		values.Encryption = encryptionKeys(current)
	case used.encrypt:
		values.Encryption = encryptionKeys(current, old)
		values.PopulatedKeys[constants.AnnotationNewEncryptionKeyPopulated] = current.Name
	default:
		values.Encryption = encryptionKeys(old, current)
	}
	if old := made.Old(constants.SecretNameServiceAccountKey); old != nil && used.sign {
		values.PopulatedKeys[constants.AnnotationNewServiceAccountKeyPopulated] = made.Current(constants.SecretNameServiceAccountKey).Name
	} else if old != nil {
		values.Secrets.ServiceAccount = old.Name
	}
}

// encryptionKeys returns the keys in Secrets, of which the first encrypts.
func encryptionKeys(secrets ...*corev1.Secret) (keys []kubeapiserver.EncryptionKeyData) {
	for _, secret := range secrets {
		keys = append(keys, kubeapiserver.EncryptionKeyData{
			Name: string(secret.Data[secretsmanager.KeyEncryptionKey]), Secret: string(secret.Data[secretsmanager.KeyEncryptionData]),
		})
	}
	return keys
}
