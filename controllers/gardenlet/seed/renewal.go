package seed

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokenrequestor"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// renewals does what the operation of the Seed asks for. The annotation goes when it is done.
func (r *Reconciler) renewals(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	var err error
	switch seed.Annotations[constants.GardenerOperation] {
	default:
		return nil
	case constants.GardenerOperationRenewKubeconfig:
		if r.Credentials == nil {
			r.Recorder.Eventf(seed, nil, corev1.EventTypeWarning, "RenewalImpossible", "Renew",
				"The gardenlet does not keep its kubeconfig in a Secret: its operator has to renew it")
			break
		}
		err = r.Credentials.Renew(ctx)
	case constants.SeedOperationRenewGardenAccessSecrets:
		err = gardenAccess{r.SeedClient}.renew(ctx)
	}
	if err != nil {
		r.Recorder.Eventf(seed, nil, corev1.EventTypeWarning, "RenewalFailed", "Renew", "%s", err)
		return err
	}
	return patch.Metadata(ctx, r.Garden, seed, func() { delete(seed.Annotations, constants.GardenerOperation) })
}

// renewalTimeout is how long one attempt waits for new tokens. A renewal takes one request, and some Secrets wait in a queue.
const renewalTimeout = time.Minute

// gardenAccess are the tokens that extensions in a seed have for the garden.
type gardenAccess struct{ client client.Client }

// renew renews all tokens of extensions for the garden, and waits until the tokens are new: a rotation of the garden drops the
// former key once all Seeds have done this. A retry begins again.
func (a gardenAccess) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, renewalTimeout)
	defer cancel()
	secrets, err := a.secrets(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for i := range secrets {
		secret := &secrets[i]
		before := secret.DeepCopy()
		delete(secret.Annotations, resourcesv1alpha1.ServiceAccountTokenRenewTimestamp)
		if err := a.client.Patch(ctx, secret, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("renew secret %s/%s: %w", secret.Namespace, secret.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return await.Poll(ctx, func() error { return a.isNew(ctx) })
}

// secrets are the Secrets with access to the garden, without their data.
func (a gardenAccess) secrets(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := a.client.List(ctx, list, client.MatchingLabels{
		resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
		resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassGarden,
	})
	if err != nil {
		return nil, fmt.Errorf("list secrets with access to the garden: %w", err)
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	}
	return list.Items, nil
}

// isNew returns an error while a Secret still has a token that is to be renewed. A Secret without a token loses nothing with
// the former key. Its extension may have asked for a token that it cannot get. Nobody waits for Secrets that get no token any more.
func (a gardenAccess) isNew(ctx context.Context) error {
	secrets, err := a.secrets(ctx)
	if err != nil {
		return err
	}
	var missing error
	for i := range secrets {
		if secrets[i].Annotations[resourcesv1alpha1.ServiceAccountTokenRenewTimestamp] != "" || neverRenewed(&secrets[i]) {
			continue
		}
		secret := &corev1.Secret{}
		err := a.client.Get(ctx, client.ObjectKeyFromObject(&secrets[i]), secret)
		switch {
		case client.IgnoreNotFound(err) != nil:
			return fmt.Errorf("read secret with access to the garden: %w", err)
		case err == nil && tokenrequestor.HasToken(secret.Data) && secret.Annotations[resourcesv1alpha1.ServiceAccountTokenRenewTimestamp] == "":
			missing = errors.Join(missing, fmt.Errorf("the token in secret %s/%s has not been renewed", secret.Namespace, secret.Name))
		}
	}
	return missing
}

// neverRenewed reports whether a Secret is being deleted or asks for a validity that is none: no token is requested for it.
func neverRenewed(secret client.Object) bool {
	_, err := tokenrequestor.Lifetime(secret.GetAnnotations())
	return err != nil || secret.GetDeletionTimestamp() != nil
}
