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

// UseNewKey makes the new key of a rotation the one that encrypts. It first waits until all API servers can decrypt with it:
// two of them run during a roll-out, and each must be able to read what the other writes.
func (s Server) UseNewKey(ctx context.Context, made credentials.Made, clusterIP string) error {
	known, err := s.knowNewKey(ctx, made)
	if err != nil || known {
		return err
	}
	if err := s.Await(ctx); err != nil {
		return err
	}
	if err := s.deploy(ctx, made, clusterIP, true); err != nil {
		return err
	}
	return s.Await(ctx)
}

// knowNewKey reports whether all API servers have the new key of a rotation. Without a rotation there is nothing to know.
func (s Server) knowNewKey(ctx context.Context, made credentials.Made) (bool, error) {
	current := made.Current(constants.SecretNameETCDEncryptionKey)
	if made.Old(constants.SecretNameETCDEncryptionKey) == nil || credentials.ObjectsRewritten(current) {
		return true, nil
	}
	deployment := &appsv1.Deployment{}
	err := s.Space.Client.Get(ctx, client.ObjectKey{Namespace: s.Space.Name, Name: names.APIServer}, deployment)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("read deployment %q: %w", names.APIServer, err)
	}
	return deployment.Annotations[constants.AnnotationNewEncryptionKeyPopulated] == current.Name, nil
}

// encryptionKeys returns the keys, of which the first encrypts, and the name of the new one if all API servers have it.
func encryptionKeys(made credentials.Made, newKey bool) (keys []kubeapiserver.EncryptionKeyData, populated string) {
	current, old := made.Current(constants.SecretNameETCDEncryptionKey), made.Old(constants.SecretNameETCDEncryptionKey)
	switch {
	case old == nil:
		return []kubeapiserver.EncryptionKeyData{keyOf(current)}, ""
	case newKey:
		return []kubeapiserver.EncryptionKeyData{keyOf(current), keyOf(old)}, current.Name
	}
	return []kubeapiserver.EncryptionKeyData{keyOf(old), keyOf(current)}, ""
}

func keyOf(secret *corev1.Secret) kubeapiserver.EncryptionKeyData {
	return kubeapiserver.EncryptionKeyData{
		Name: string(secret.Data[secretsmanager.KeyEncryptionKey]), Secret: string(secret.Data[secretsmanager.KeyEncryptionData]),
	}
}
