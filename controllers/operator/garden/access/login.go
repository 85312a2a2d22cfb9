package access

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// validity of the token in the login Secret. The resource manager renews it after 80 % of that.
const validity = "12h"

// key of the login Secret, which holds the kubeconfig of an administrator of the virtual garden.
func key() client.ObjectKey {
	return client.ObjectKey{Namespace: constants.GardenNamespace, Name: SecretName}
}

// login reads the login Secret; nil if there is none.
func (a Access) login(ctx context.Context) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := a.Reader.Get(ctx, key(), secret); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read Secret %q: %w", key(), err)
	}
	return secret, nil
}

// deployLogin makes the login Secret complete: all of it but the token, which the resource manager writes. A write fails with a
// conflict if the Secret has changed since it was read: an old token must not replace a new one.
func (a Access) deployLogin(ctx context.Context) error {
	secret, err := a.login(ctx)
	if err != nil {
		return err
	}
	if secret == nil {
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key().Namespace, Name: key().Name}, Type: corev1.SecretTypeOpaque}
		if err := a.complete(secret, ""); err != nil {
			return err
		}
		return client.IgnoreAlreadyExists(a.Runtime.Create(ctx, secret))
	}
	return a.repair(ctx, secret, tokenIn(secret.Data[resourcesv1alpha1.DataKeyKubeconfig]))
}

// repair writes the Secret with the token, if anything differs.
func (a Access) repair(ctx context.Context, secret *corev1.Secret, token string) error {
	before := secret.DeepCopy()
	if err := a.complete(secret, token); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(before, secret) {
		return nil
	}
	if err := a.Runtime.Update(ctx, secret); err != nil {
		return fmt.Errorf("repair Secret %q: %w", key(), err)
	}
	return nil
}

// complete sets everything that the login Secret must have. Labels and annotations of others stay, data do not.
func (a Access) complete(secret *corev1.Secret, token string) error {
	wanted, err := encode(kubeconfigFor(a.Garden, clientcmdapi.AuthInfo{Token: token}))
	if err != nil {
		return err
	}
	if current := secret.Data[resourcesv1alpha1.DataKeyKubeconfig]; same(current, wanted) {
		wanted = current
	}
	secret.Data = map[string][]byte{resourcesv1alpha1.DataKeyKubeconfig: wanted}
	secret.Labels, secret.Annotations = with(secret.Labels, labels()), with(secret.Annotations, map[string]string{
		resourcesv1alpha1.ServiceAccountName:                    account,
		resourcesv1alpha1.ServiceAccountNamespace:               metav1.NamespaceSystem,
		resourcesv1alpha1.ServiceAccountTokenExpirationDuration: validity,
	})
	if token == "" {
		delete(secret.Annotations, resourcesv1alpha1.ServiceAccountTokenRenewTimestamp)
	}
	return nil
}

func labels() map[string]string {
	return map[string]string{
		resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
		resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassShoot,
	}
}

func with(current, more map[string]string) map[string]string {
	out := maps.Clone(current)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, more)
	return out
}
