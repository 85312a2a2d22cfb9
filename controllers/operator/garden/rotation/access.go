package rotation

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// askedPrefix and an operation are the key of the annotation of a Seed with the beginning of the rotation for which it was last asked.
const askedPrefix = "operator.gardener.cloud/asked-"

const fieldOwner = client.FieldOwner("gardener-operator")

// Users brings new credentials to those who use a virtual garden.
type Users struct {
	Runtime client.Client // of the runtime cluster
	Reader  client.Reader // of the runtime cluster, uncached
	Virtual client.Client // of the virtual garden, uncached
}

// RenewTokens has all tokens for the virtual garden in the namespace garden of the runtime cluster requested again, and waits until they
// are there. A label marks those that were asked for.
func (u Users) RenewTokens(ctx context.Context, began time.Time) error {
	name := began.UTC().Format("20060102150405") // a label value
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q},"annotations":{%q:null}}}`,
		constants.LabelKeyName, name, resourcesv1alpha1.ServiceAccountTokenRenewTimestamp))
	return await.Poll(ctx, func() error {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
		err := u.Reader.List(ctx, list, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
			resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassShoot,
		})
		if err != nil {
			return fmt.Errorf("list Secrets with tokens of the virtual garden: %w", err)
		}
		var missing error
		for i := range list.Items {
			secret := &list.Items[i]
			secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
			if secret.Labels[constants.LabelKeyName] != name {
				if err := u.Runtime.Patch(ctx, secret, patch, fieldOwner); client.IgnoreNotFound(err) != nil {
					return fmt.Errorf("ask for the renewal of the token in Secret %q: %w", secret.Name, err)
				}
			}
			if secret.Annotations[resourcesv1alpha1.ServiceAccountTokenRenewTimestamp] == "" {
				missing = errors.Join(missing, fmt.Errorf("the token in Secret %q has not been renewed", secret.Name))
			}
		}
		return missing
	})
}

// AskSeeds sets the operation of all Seeds, and waits until their gardenlets have carried it out. An annotation tells which were asked since the
// rotation began: those that have done it are not asked again while others are missing.
func (u Users) AskSeeds(ctx context.Context, operation string, began time.Time) error {
	note, value := askedPrefix+operation, began.UTC().Format(time.RFC3339)
	return await.Poll(ctx, func() error {
		seeds := &gardencorev1beta1.SeedList{}
		if err := u.Virtual.List(ctx, seeds); err != nil {
			return fmt.Errorf("list Seeds: %w", err)
		}
		var missing error
		for i := range seeds.Items {
			seed := &seeds.Items[i]
			present, asked := seed.Annotations[constants.GardenerOperation], seed.Annotations[note] == value
			if seed.DeletionTimestamp != nil || asked && present == "" {
				continue
			}
			if !asked && (present == "" || present == operation) {
				patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"resourceVersion":%q,"annotations":{%q:%q,%q:%q}}}`,
					seed.ResourceVersion, constants.GardenerOperation, operation, note, value)) // not over an operation that was set meanwhile
				if err := u.Virtual.Patch(ctx, seed, patch, fieldOwner); client.IgnoreNotFound(err) != nil {
					missing = errors.Join(missing, fmt.Errorf("annotate Seed %q: %w", seed.Name, err))
					continue
				}
				present = operation
			}
			missing = errors.Join(missing, fmt.Errorf("the gardenlet of Seed %q has not done %q yet", seed.Name, present))
		}
		return missing
	})
}
