package etcd

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/place"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// missingSecret is the error for a referenced secret that does not exist.
type missingSecret struct{ name string }

func (e *missingSecret) Error() string { return fmt.Sprintf("secret %q does not exist", e.name) }

// checkSecrets returns a missingSecret if a referenced secret does not exist. Pods that cannot mount a secret would
// start only minutes after it appears.
func (r *Reconciler) checkSecrets(ctx context.Context, etcd *druidv1alpha1.Etcd) error {
	for _, name := range secretNames(etcd) {
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := r.Reader.Get(ctx, client.ObjectKey{Namespace: etcd.Namespace, Name: name}, secret)
		if apierrors.IsNotFound(err) {
			return &missingSecret{name: name}
		}
		if err != nil {
			return fmt.Errorf("read secret %q: %w", name, err)
		}
	}
	return nil
}

// secretNames lists the referenced secrets in the order of the spec, each once.
func secretNames(etcd *druidv1alpha1.Etcd) []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, tls := range []*druidv1alpha1.TLSConfig{etcd.Spec.Etcd.ClientUrlTLS, etcd.Spec.Etcd.PeerUrlTLS, etcd.Spec.Backup.TLS} {
		if tls != nil {
			add(tls.TLSCASecretRef.Name)
			add(tls.ServerTLSSecretRef.Name)
			add(tls.ClientTLSSecretRef.Name)
		}
	}
	if store := etcd.Spec.Backup.Store; store != nil && store.SecretRef != nil {
		add(store.SecretRef.Name)
	}
	return names
}

func errorCode(err error) druidv1alpha1.ErrorCode {
	var missing *missingSecret
	if errors.As(err, &missing) {
		return codeMissingSecret
	}
	if errors.Is(err, place.ErrRefused) {
		return codeRefused
	}
	return codeApply
}
