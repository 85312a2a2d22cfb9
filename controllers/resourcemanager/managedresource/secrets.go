package managedresource

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// secretData is the content of the Secrets of a ManagedResource, in the order of spec.secretRefs.
type secretData struct {
	secrets  []corev1.Secret
	checksum string // hexadecimal SHA256 over all of it
}

// readSecrets reads all referenced Secrets and makes sure that they cannot vanish before the ManagedResource.
func (p *pass) readSecrets(ctx context.Context) (secretData, error) {
	var (
		data secretData
		sum  = sha256.New()
		errs []error
	)
	for _, ref := range p.resource.Spec.SecretRefs {
		secret, err := p.readSecret(ctx, types.NamespacedName{Namespace: p.resource.Namespace, Name: ref.Name})
		if err != nil {
			errs = append(errs, fmt.Errorf("read secret %q: %w", ref.Name, err))
			continue
		}
		if err := p.protect(ctx, &secret); err != nil {
			errs = append(errs, err)
		}
		fmt.Fprintf(sum, "%s;", manifest.Checksum(secret.Data))
		data.secrets = append(data.secrets, secret)
	}
	data.checksum = hex.EncodeToString(sum.Sum(nil))
	return data, errors.Join(errs...)
}

// readSecret first protects a new Secret. The response to that request contains the content, which saves another
// request.
func (p *pass) readSecret(ctx context.Context, name types.NamespacedName) (corev1.Secret, error) {
	known := &metav1.PartialObjectMetadata{}
	known.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := p.Source.Get(ctx, name, known)
	if err == nil && known.DeletionTimestamp == nil && !controllerutil.ContainsFinalizer(known, Finalizer(p.Class)) {
		secret := corev1.Secret{ObjectMeta: known.ObjectMeta}
		if p.protect(ctx, &secret) == nil {
			return secret, nil
		} // the cache was too old
	}
	secret := corev1.Secret{}
	return secret, p.Reader.Get(ctx, name, &secret)
}

// protect adds the finalizer. Secrets that are already being deleted can no longer be protected.
func (p *pass) protect(ctx context.Context, secret *corev1.Secret) error {
	if secret.DeletionTimestamp != nil {
		return nil
	}
	return patch.Metadata(ctx, p.Source, secret, func() { controllerutil.AddFinalizer(secret, Finalizer(p.Class)) })
}

// releaseSecrets removes the finalizer from all Secrets of the namespace that no other ManagedResource of the class
// refers to. It checks all Secrets, not only those of this ManagedResource, so that it also finds Secrets that were
// dropped from spec.secretRefs.
func (p *pass) releaseSecrets(ctx context.Context) error {
	used, err := p.secretsInUse(ctx)
	if err != nil {
		return err
	}
	var from client.Reader = p.Source
	if p.resource.DeletionTimestamp != nil {
		from = p.Reader // no later pass releases a Secret that the cache has from before it was protected
	}
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := from.List(ctx, secrets, client.InNamespace(p.resource.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list secrets: %w", err)
	}
	var errs []error
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		if used[secret.Name] || !controllerutil.ContainsFinalizer(secret, Finalizer(p.Class)) {
			continue
		}
		secret = secret.DeepCopy() // the list is shared with the cache
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := patch.Metadata(ctx, p.Source, secret, func() { controllerutil.RemoveFinalizer(secret, Finalizer(p.Class)) })
		errs = append(errs, client.IgnoreNotFound(err))
	}
	return errors.Join(errs...)
}

func (p *pass) secretsInUse(ctx context.Context) (map[string]bool, error) {
	resources := &resourcesv1alpha1.ManagedResourceList{}
	if err := p.Source.List(ctx, resources, client.InNamespace(p.resource.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list managed resources: %w", err)
	}
	used := map[string]bool{}
	for i := range resources.Items {
		other := &resources.Items[i]
		gone := other.Name == p.resource.Name && p.resource.DeletionTimestamp != nil
		if gone || !p.responsible(other) {
			continue
		}
		for _, ref := range other.Spec.SecretRefs {
			used[ref.Name] = true
		}
	}
	return used, nil
}
