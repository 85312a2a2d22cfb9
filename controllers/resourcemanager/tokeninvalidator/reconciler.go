// Package tokeninvalidator invalidates static tokens of service accounts that do not want any. Secrets of type
// kubernetes.io/service-account-token whose ServiceAccount has automountServiceAccountToken=false get a token that no
// server accepts. A label on the ServiceAccount opts out.
package tokeninvalidator

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Invalid replaces a token. It is not empty, since Kubernetes would then fill in a new token.
func Invalid() []byte { return []byte{0, 0, 0} }

// Reconciler handles Secrets of the target.
type Reconciler struct {
	Name       string          // of the controller, unique in the process
	Target     client.Client   // uncached
	Cluster    cluster.Cluster // the target, for the controller's own cache
	Namespaces []string        // of the target to handle; empty means all
}

// Reconcile checks one Secret.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	secret := &corev1.Secret{}
	if err := r.Target.Get(ctx, request.NamespacedName, secret); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	account := &corev1.ServiceAccount{}
	key := types.NamespacedName{Namespace: secret.Namespace, Name: secret.Annotations[corev1.ServiceAccountNameKey]}
	if key.Name == "" {
		return reconcile.Result{}, nil
	}
	if err := r.Target.Get(ctx, key, account); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err) // Kubernetes deletes such Secrets
	}
	if !Due(secret, account) {
		return reconcile.Result{}, nil
	}
	before := secret.DeepCopy()
	secret.Data[corev1.ServiceAccountTokenKey] = Invalid()
	if err := r.Target.Patch(ctx, secret, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return reconcile.Result{}, fmt.Errorf("invalidate token of service account %q: %w", key, err)
	}
	log.FromContext(ctx).Info("Invalidated static token", "serviceAccount", key)
	return reconcile.Result{}, nil
}

// Due reports whether the Secret has a token that must be invalidated.
func Due(secret *corev1.Secret, account *corev1.ServiceAccount) bool {
	token := secret.Data[corev1.ServiceAccountTokenKey]
	return secret.Type == corev1.SecretTypeServiceAccountToken && len(token) > 0 && !bytes.Equal(token, Invalid()) &&
		!ptr.Deref(account.AutomountServiceAccountToken, true) &&
		account.Labels[resourcesv1alpha1.TokenInvalidatorSkip] != "true"
}
