// Package tokenrequestor fills Secrets of the source cluster with tokens for service accounts of the target cluster and
// renews them in time, so that no component needs a static token.
//
// It handles Secrets with the label resources.gardener.cloud/purpose=token-requestor that have no class label or the
// class of this resource manager. A service account that was created for such a Secret is deleted with it.
package tokenrequestor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Reconciler handles the Secrets of one class. All fields are required unless said otherwise.
type Reconciler struct {
	Name   string        // of the controller, unique in the process
	Source client.Client // writes Secrets
	Reader client.Reader // reads Secrets of the source cluster, uncached
	Target client.Client // uncached
	Clock  clock.PassiveClock
	Class  string // value of the class label; Secrets without the label are handled, too, unless OnlyClass is set

	OnlyClass  bool     // leaves Secrets without the class label to others
	ClusterID  string   // identity of the source cluster, recorded on service accounts; may be empty
	Namespaces []string // of the source to handle; empty means all
	CABundle   []byte   // CA of the target, for Secrets that ask for it; may be empty
	// Cache holds metadata of at least the Secrets to handle. Default: the cache of the manager.
	Cache cache.Cache
	// TargetNamespace is where all service accounts are, whatever the annotations of Secrets say. If it is set, no token
	// is copied to the target: whoever may write Secrets in the source must not write Secrets of the target. May be empty.
	TargetNamespace string
}

// Reconcile issues a token if there is none or if the current one is due for renewal. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	secret := &corev1.Secret{}
	if !r.handles(request.Namespace) {
		return reconcile.Result{}, nil
	}
	if err := r.Reader.Get(ctx, request.NamespacedName, secret); err != nil {
		if apierrors.IsNotFound(err) {
			return reconcile.Result{}, r.deleteServiceAccounts(ctx, request.NamespacedName)
		}
		return reconcile.Result{}, err
	}
	if secret.DeletionTimestamp != nil || !r.responsible(secret.Labels) {
		return reconcile.Result{}, nil
	}
	if wait := r.untilRenewal(secret); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	return r.renew(ctx, secret)
}

func (r *Reconciler) handles(namespace string) bool {
	return len(r.Namespaces) == 0 || slices.Contains(r.Namespaces, namespace)
}

func (r *Reconciler) renew(ctx context.Context, secret *corev1.Secret) (reconcile.Result, error) {
	lifetime, err := Lifetime(secret.Annotations)
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	account, err := r.ensureServiceAccount(ctx, secret)
	if err != nil {
		return reconcile.Result{}, err
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(lifetime.Seconds()))}}
	if err := r.Target.SubResource("token").Create(ctx, account, request); err != nil {
		return reconcile.Result{}, fmt.Errorf("request token for service account %q: %w", client.ObjectKeyFromObject(account), err)
	}
	renewAt := RenewAt(r.Clock.Now(), request.Status.ExpirationTimestamp.Time)
	// The time in the Secret says that all is done, so it comes last.
	if err := r.copyToTarget(ctx, secret, request.Status.Token); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.store(ctx, secret, request.Status.Token, renewAt); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: renewAt.Sub(r.Clock.Now())}, nil
}

// untilRenewal returns zero if a token is needed now.
func (r *Reconciler) untilRenewal(secret *corev1.Secret) time.Duration {
	if !HasToken(secret.Data) || r.lacksCABundle(secret) {
		return 0
	}
	renewAt, err := time.Parse(time.RFC3339, secret.Annotations[resourcesv1alpha1.ServiceAccountTokenRenewTimestamp])
	if err != nil {
		return 0
	}
	return max(renewAt.Sub(r.Clock.Now()), 0)
}

// lacksCABundle reports whether the Secret asks for the CA and has another one, as after a rotation.
func (r *Reconciler) lacksCABundle(secret *corev1.Secret) bool {
	return len(r.CABundle) > 0 && manifest.Flag(secret.Annotations, resourcesv1alpha1.ServiceAccountInjectCABundle) &&
		!bytes.Equal(secret.Data[resourcesv1alpha1.DataKeyCABundle], r.CABundle)
}

func (r *Reconciler) store(ctx context.Context, secret *corev1.Secret, token string, renewAt time.Time) error {
	before := secret.DeepCopy()
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	if err := PutToken(secret.Data, token); err != nil {
		return err
	}
	if len(r.CABundle) > 0 && manifest.Flag(secret.Annotations, resourcesv1alpha1.ServiceAccountInjectCABundle) {
		secret.Data[resourcesv1alpha1.DataKeyCABundle] = r.CABundle
	}
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, resourcesv1alpha1.ServiceAccountTokenRenewTimestamp, renewAt.UTC().Format(time.RFC3339))
	if err := r.Source.Patch(ctx, secret, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("store token: %w", err)
	}
	return nil
}

// copyToTarget also writes the token into a Secret of the target cluster if the annotations ask for that.
func (r *Reconciler) copyToTarget(ctx context.Context, secret *corev1.Secret, token string) error {
	key := types.NamespacedName{
		Namespace: secret.Annotations[resourcesv1alpha1.TokenRequestorTargetSecretNamespace],
		Name:      secret.Annotations[resourcesv1alpha1.TokenRequestorTargetSecretName],
	}
	if key.Name == "" || key.Namespace == "" || r.TargetNamespace != "" {
		return nil
	}
	target := &corev1.Secret{}
	err := r.Target.Get(ctx, key, target)
	switch {
	case apierrors.IsNotFound(err):
		target = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
			Type:       corev1.SecretTypeOpaque,
			Data:       map[string][]byte{resourcesv1alpha1.DataKeyToken: []byte(token)},
		}
		err = r.Target.Create(ctx, target)
	case err == nil:
		before := target.DeepCopy()
		if target.Data == nil {
			target.Data = map[string][]byte{}
		}
		target.Data[resourcesv1alpha1.DataKeyToken] = []byte(token)
		err = r.Target.Patch(ctx, target, client.MergeFrom(before))
	}
	if err != nil {
		return fmt.Errorf("copy token to secret %q of the target: %w", key, err)
	}
	return nil
}
