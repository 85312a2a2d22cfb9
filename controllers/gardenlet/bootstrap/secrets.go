package bootstrap

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// errNoBootstrap means that there is neither a usable kubeconfig nor anything to get one with.
var errNoBootstrap = errors.New("the gardenlet has no valid client certificate for the garden, and nothing to request one with")

// secrets are the Secrets in the seed by which a gardenlet reaches the garden.
type secrets struct {
	seed                client.Client // uncached
	kubeconfig, initial *corev1.SecretReference
}

// load returns the kubeconfig, and whether somebody asks for another certificate. It is nil if there is none.
func (s secrets) load(ctx context.Context) (kubeconfig []byte, renew bool, err error) {
	secret, err := s.get(ctx, s.kubeconfig)
	if err != nil || secret == nil {
		return nil, false, err
	}
	return kubeconfigOf(secret), secret.Annotations[constants.GardenerOperation] == constants.GardenletKubeconfigSecretRenew, nil
}

// loadInitial returns the kubeconfig with the bootstrap token.
func (s secrets) loadInitial(ctx context.Context) ([]byte, error) {
	if s.initial == nil {
		return nil, fmt.Errorf("%w: gardenClientConnection.bootstrapKubeconfig names no Secret", errNoBootstrap)
	}
	secret, err := s.get(ctx, s.initial)
	if err != nil {
		return nil, err
	}
	if secret == nil {
		return nil, fmt.Errorf("%w: put a kubeconfig with a bootstrap token into Secret %s/%s of the seed", errNoBootstrap, s.initial.Namespace, s.initial.Name)
	}
	return kubeconfigOf(secret), nil
}

func kubeconfigOf(secret *corev1.Secret) []byte { return secret.Data[constants.DataKeyKubeconfig] }

func (s secrets) get(ctx context.Context, ref *corev1.SecretReference) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.seed.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s/%s of the seed: %w", ref.Namespace, ref.Name, err)
	}
	return secret, nil
}

// save replaces the kubeconfig. Nobody asks for another one from then on.
func (s secrets) save(ctx context.Context, kubeconfig []byte) error {
	return Write(ctx, s.seed, *s.kubeconfig, kubeconfig)
}

// Write puts a kubeconfig into a Secret of the seed.
func Write(ctx context.Context, seed client.Client, ref corev1.SecretReference, kubeconfig []byte) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ref.Namespace}}
	if err := seed.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %q of the seed: %w", ref.Namespace, err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name}, Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{constants.DataKeyKubeconfig: kubeconfig},
	}
	err := seed.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		if err = seed.Get(ctx, client.ObjectKeyFromObject(secret), secret); err == nil {
			secret.Data = map[string][]byte{constants.DataKeyKubeconfig: kubeconfig}
			delete(secret.Annotations, constants.GardenerOperation)
			err = seed.Update(ctx, secret)
		}
	}
	if err != nil {
		return fmt.Errorf("write Secret %s/%s of the seed: %w", ref.Namespace, ref.Name, err)
	}
	return nil
}

// dropInitial deletes the bootstrap token, which is worth a certificate as long as it exists.
func (s secrets) dropInitial(ctx context.Context) error {
	if s.initial == nil {
		return nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.initial.Namespace, Name: s.initial.Name}}
	if err := s.seed.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Secret %s/%s of the seed: %w", secret.Namespace, secret.Name, err)
	}
	return nil
}
