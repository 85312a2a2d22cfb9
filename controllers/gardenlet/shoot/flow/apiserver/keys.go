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
