package credentials

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// secretKind is that of metadata of Secrets.
var secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

// RenewTokens renews the tokens of components and extensions that were signed with the old key of a rotation. The resource manager
// of the shoot renews them; RenewTokens waits until it is done. The API servers must already sign with the new key. A label on each
// Secret marks it as requested.
func (c Credentials) RenewTokens(ctx context.Context, made Made) error {
	key := made.Current(constants.SecretNameServiceAccountKey).Name
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q},"annotations":{%q:null}}}`,
		constants.LabelKeyName, key, resourcesv1alpha1.ServiceAccountTokenRenewTimestamp))
	return await.Poll(ctx, func() error {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(secretKind.GroupVersion().WithKind("SecretList"))
		err := c.Space.Client.List(ctx, list, client.InNamespace(c.Space.Name), client.MatchingLabels{
			resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
			resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassShoot,
		})
		if err != nil {
			return fmt.Errorf("list secrets with tokens: %w", err)
		}
		var missing error
		for i := range list.Items {
			secret := &list.Items[i]
			secret.SetGroupVersionKind(secretKind)
			if secret.Labels[constants.LabelKeyName] != key {
				if err := c.Space.Client.Patch(ctx, secret, patch, seed.Owner); client.IgnoreNotFound(err) != nil {
					return fmt.Errorf("ask for the renewal of the token in secret %q: %w", secret.Name, err)
				}
			}
			if secret.Annotations[resourcesv1alpha1.ServiceAccountTokenRenewTimestamp] == "" {
				missing = fmt.Errorf("the token in secret %q has not been renewed", secret.Name)
			}
		}
		return missing
	})
}
