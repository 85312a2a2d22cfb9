package tokenrequestor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// madeByUs labels service accounts that exist only because a Secret of the source requests a token. Their annotation
// resources.gardener.cloud/origin names that Secret. It allows finding the accounts of deleted Secrets without a
// finalizer on the Secrets. Such a finalizer could block the deletion of a namespace when no resource manager runs any
// more.
const madeByUs = "token-requestor.resources.gardener.cloud/account"

func (r *Reconciler) ensureServiceAccount(ctx context.Context, secret *corev1.Secret) (*corev1.ServiceAccount, error) {
	key := r.accountKey(secret.Annotations)
	if key.Name == "" || key.Namespace == "" {
		return nil, reconcile.TerminalError(fmt.Errorf("secret does not name a service account and its namespace"))
	}
	labels, err := accountLabels(secret.Annotations)
	if err != nil {
		return nil, reconcile.TerminalError(err)
	}
	account := &corev1.ServiceAccount{}
	err = r.Target.Get(ctx, key, account)
	if err == nil {
		return account, r.addLabels(ctx, account, labels)
	}
	if !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("read service account %q: %w", key, err)
	}
	labels[madeByUs] = "true"
	account = &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Labels: labels,
			Annotations: map[string]string{resourcesv1alpha1.OriginAnnotation: r.origin(client.ObjectKeyFromObject(secret))},
		},
		AutomountServiceAccountToken: ptr.To(false),
	}
	if err := r.Target.Create(ctx, account); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create service account %q: %w", key, err)
	}
	return account, nil
}

func (r *Reconciler) addLabels(ctx context.Context, account *corev1.ServiceAccount, labels map[string]string) error {
	before := account.DeepCopy()
	for key, value := range labels {
		metav1.SetMetaDataLabel(&account.ObjectMeta, key, value)
	}
	if maps.Equal(before.Labels, account.Labels) {
		return nil
	}
	if err := r.Target.Patch(ctx, account, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("label service account: %w", err)
	}
	return nil
}

// deleteServiceAccounts deletes the service account of a Secret that is gone, or assigns it to another Secret that uses
// it.
func (r *Reconciler) deleteServiceAccounts(ctx context.Context, secret types.NamespacedName) error {
	accounts, err := r.ownAccounts(ctx)
	if err != nil {
		return err
	}
	for i := range accounts {
		account := &accounts[i]
		if account.Annotations[resourcesv1alpha1.OriginAnnotation] != r.origin(secret) {
			continue
		}
		account.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ServiceAccount"))
		heir, err := r.heir(ctx, client.ObjectKeyFromObject(account), secret)
		if err != nil {
			return err
		}
		if heir != nil {
			if err := r.hand(ctx, account, *heir); err != nil {
				return err
			}
			continue
		}
		if err := r.Target.Delete(ctx, account, client.Preconditions{UID: ptr.To(account.UID)}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete service account %s/%s: %w", account.Namespace, account.Name, err)
		}
		log.FromContext(ctx).Info("Deleted service account of deleted secret", "serviceAccount", client.ObjectKeyFromObject(account))
	}
	return nil
}

func (r *Reconciler) ownAccounts(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	accounts := &metav1.PartialObjectMetadataList{}
	accounts.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ServiceAccountList"))
	if err := r.Target.List(ctx, accounts, client.MatchingLabels{madeByUs: "true"}, client.InNamespace(r.TargetNamespace)); err != nil {
		return nil, fmt.Errorf("list service accounts: %w", err)
	}
	return accounts.Items, nil
}

// heir finds another Secret that requests tokens of the account, or returns nil.
func (r *Reconciler) heir(ctx context.Context, account, secret types.NamespacedName) (*types.NamespacedName, error) {
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	requests := client.MatchingLabels{resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest}
	if err := r.Source.List(ctx, secrets, requests, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	for i := range secrets.Items {
		other := &secrets.Items[i]
		if client.ObjectKeyFromObject(other) != secret && r.handles(other.Namespace) && r.responsible(other.Labels) && r.accountKey(other.Annotations) == account {
			return ptr.To(client.ObjectKeyFromObject(other)), nil
		}
	}
	return nil, nil
}

// hand assigns the account to another Secret, so that it is deleted with that one.
func (r *Reconciler) hand(ctx context.Context, account *metav1.PartialObjectMetadata, heir types.NamespacedName) error {
	before := account.DeepCopy()
	account.Annotations[resourcesv1alpha1.OriginAnnotation] = r.origin(heir)
	if err := r.Target.Patch(ctx, account, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("note another secret at service account: %w", err)
	}
	return nil
}

// sweep enqueues the Secrets of all labelled service accounts once. It thereby finds Secrets that were deleted while no
// resource manager ran.
func (r *Reconciler) sweep(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	go func() {
		accounts, err := r.ownAccounts(ctx)
		if err != nil {
			log.FromContext(ctx).V(1).Info("Service accounts of deleted secrets stay until the next start", "reason", err.Error())
			return
		}
		for i := range accounts {
			if key, ok := manifest.ParseOrigin(r.ClusterID, accounts[i].Annotations[resourcesv1alpha1.OriginAnnotation]); ok {
				queue.Add(reconcile.Request{NamespacedName: key})
			}
		}
	}()
	return nil
}

func (r *Reconciler) origin(secret types.NamespacedName) string {
	return manifest.Origin(r.ClusterID, secret.Namespace, secret.Name)
}

func (r *Reconciler) accountKey(annotations map[string]string) types.NamespacedName {
	return types.NamespacedName{
		Namespace: cmp.Or(r.TargetNamespace, annotations[resourcesv1alpha1.ServiceAccountNamespace]),
		Name:      annotations[resourcesv1alpha1.ServiceAccountName],
	}
}

func accountLabels(annotations map[string]string) (map[string]string, error) {
	labels := map[string]string{}
	if raw := annotations[resourcesv1alpha1.ServiceAccountLabels]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &labels); err != nil {
			return nil, fmt.Errorf("parse labels of the service account: %w", err)
		}
	}
	return labels, nil
}
