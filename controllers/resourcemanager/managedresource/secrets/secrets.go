// Package secrets reads the Secrets that ManagedResources refer to, and keeps them from being deleted while they do.
package secrets

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

// Keeper handles the Secrets of the ManagedResources of one class. All fields are required.
type Keeper struct {
	Source      client.Client // may be cached
	Reader      client.Reader // of the same cluster, uncached
	Finalizer   string        // protects Secrets
	Responsible func(*resourcesv1alpha1.ManagedResource) bool
}

// Data is the content of the Secrets of a ManagedResource, in the order of spec.secretRefs.
type Data struct {
	Secrets  []corev1.Secret
	Checksum string // hexadecimal SHA256 over all of it
}

// Read reads all Secrets that a ManagedResource refers to, and makes sure that they cannot vanish before it.
func (k Keeper) Read(ctx context.Context, resource *resourcesv1alpha1.ManagedResource) (Data, error) {
	var (
		data Data
		sum  = sha256.New()
		errs []error
	)
	for _, ref := range resource.Spec.SecretRefs {
		secret, err := k.readSecret(ctx, types.NamespacedName{Namespace: resource.Namespace, Name: ref.Name})
		if err != nil {
			errs = append(errs, fmt.Errorf("read secret %q: %w", ref.Name, err))
			continue
		}
		if err := k.protect(ctx, &secret); err != nil {
			errs = append(errs, err)
		}
		fmt.Fprintf(sum, "%s;", manifest.Checksum(secret.Data))
		data.Secrets = append(data.Secrets, secret)
	}
	data.Checksum = hex.EncodeToString(sum.Sum(nil))
	return data, errors.Join(errs...)
}

// readSecret first protects a new Secret. The response to that request contains the content, which saves another
// request.
func (k Keeper) readSecret(ctx context.Context, name types.NamespacedName) (corev1.Secret, error) {
	known := &metav1.PartialObjectMetadata{}
	known.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := k.Source.Get(ctx, name, known)
	if err == nil && known.DeletionTimestamp == nil && !controllerutil.ContainsFinalizer(known, k.Finalizer) {
		secret := corev1.Secret{ObjectMeta: known.ObjectMeta}
		if k.protect(ctx, &secret) == nil {
			return secret, nil
		} // the cache was too old
	}
	secret := corev1.Secret{}
	return secret, k.Reader.Get(ctx, name, &secret)
}

// protect adds the finalizer. Secrets that are already being deleted can no longer be protected.
func (k Keeper) protect(ctx context.Context, secret *corev1.Secret) error {
	if secret.DeletionTimestamp != nil {
		return nil
	}
	return patch.Metadata(ctx, k.Source, secret, func() { controllerutil.AddFinalizer(secret, k.Finalizer) })
}

// Release removes the finalizer from all Secrets of the namespace that no other ManagedResource of the class refers to.
// It checks all Secrets, not only those of this ManagedResource, so that it also finds Secrets that were dropped from
// spec.secretRefs.
func (k Keeper) Release(ctx context.Context, resource *resourcesv1alpha1.ManagedResource) error {
	used, err := k.inUse(ctx, resource)
	if err != nil {
		return err
	}
	var from client.Reader = k.Source
	if resource.DeletionTimestamp != nil {
		from = k.Reader // no later pass releases a Secret that the cache has from before it was protected
	}
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := from.List(ctx, secrets, client.InNamespace(resource.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list secrets: %w", err)
	}
	var errs []error
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		if used[secret.Name] || !controllerutil.ContainsFinalizer(secret, k.Finalizer) {
			continue
		}
		secret = secret.DeepCopy() // the list is shared with the cache
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := patch.Metadata(ctx, k.Source, secret, func() { controllerutil.RemoveFinalizer(secret, k.Finalizer) })
		errs = append(errs, client.IgnoreNotFound(err))
	}
	return errors.Join(errs...)
}

func (k Keeper) inUse(ctx context.Context, resource *resourcesv1alpha1.ManagedResource) (map[string]bool, error) {
	resources := &resourcesv1alpha1.ManagedResourceList{}
	if err := k.Source.List(ctx, resources, client.InNamespace(resource.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list managed resources: %w", err)
	}
	used := map[string]bool{}
	for i := range resources.Items {
		other := &resources.Items[i]
		gone := other.Name == resource.Name && resource.DeletionTimestamp != nil
		if gone || !k.Responsible(other) {
			continue
		}
		for _, ref := range other.Spec.SecretRefs {
			used[ref.Name] = true
		}
	}
	return used, nil
}
