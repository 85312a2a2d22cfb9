// Package managed passes objects for a Shoot, or for its control plane in the seed, to a resource manager, and removes them again. It does not
// care what the objects are.
package managed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Resource is a ManagedResource and its Secret in the namespace of a Shoot.
type Resource struct {
	// Client of the seed.
	Client client.Client
	// Namespace of the Shoot and Name of the ManagedResource.
	Namespace, Name string
	// Class is ClassSeed for objects of the seed; empty for objects of the Shoot.
	Class string
}

// ClassSeed is the class of ManagedResources whose objects are in the seed.
const ClassSeed = "seed"

// Apply writes the objects: YAML documents by file name.
func (r Resource) Apply(ctx context.Context, documents map[string][]byte) error {
	secret := r.secret()
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.Type, secret.Data = corev1.SecretTypeOpaque, documents
		return nil
	}); err != nil {
		return fmt.Errorf("write secret %s: %w", secret.Name, err)
	}
	resource := r.resource()
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, resource, func() error {
		resource.Spec.SecretRefs = []corev1.LocalObjectReference{{Name: secret.Name}}
		resource.Spec.KeepObjects = nil // a shoot that was to leave, and stayed
		resource.Spec.Class, resource.Spec.InjectLabels = nil, map[string]string{"shoot.gardener.cloud/no-cleanup": "true"}
		if r.Class != "" {
			resource.Spec.Class, resource.Spec.InjectLabels = &r.Class, nil
		}
		return nil
	}); err != nil {
		return fmt.Errorf("write managed resource %s: %w", r.Name, err)
	}
	return nil
}

// Delete removes the objects from the Shoot. It returns a contract.Waiting until the resource manager has removed
// them.
func (r Resource) Delete(ctx context.Context) error { return r.remove(ctx, false) }

// Migrate keeps the objects in the Shoot and removes only the ManagedResource.
func (r Resource) Migrate(ctx context.Context) error { return r.remove(ctx, true) }

// ForceDelete is Delete for a Shoot whose resource manager may be gone.
func (r Resource) ForceDelete(ctx context.Context) error {
	resource := r.resource()
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(resource), resource); apierrors.IsNotFound(err) {
		return r.Delete(ctx)
	} else if err != nil {
		return fmt.Errorf("read managed resource %s: %w", r.Name, err)
	}
	before := resource.DeepCopy()
	resource.Finalizers = nil
	if err := r.Client.Patch(ctx, resource, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release managed resource %s: %w", r.Name, err)
	}
	return r.Delete(ctx)
}

func (r Resource) remove(ctx context.Context, keepObjects bool) error {
	resource := r.resource()
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(resource), resource)
	if err == nil {
		if keepObjects && (resource.Spec.KeepObjects == nil || !*resource.Spec.KeepObjects) {
			before := resource.DeepCopy()
			resource.Spec.KeepObjects = &keepObjects
			if err := r.Client.Patch(ctx, resource, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("keep objects of managed resource %s: %w", r.Name, err)
			}
		}
		if err := r.Client.Delete(ctx, resource); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete managed resource %s: %w", r.Name, err)
		}
		return contract.Waiting{For: "managed resource " + r.Name + " to go"}
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("read managed resource %s: %w", r.Name, err)
	}
	secret := r.secret()
	if err := r.Client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s: %w", secret.Name, err)
	}
	return nil
}

func (r Resource) resource() *resourcesv1alpha1.ManagedResource {
	return &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
}

func (r Resource) secret() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: "managedresource-" + r.Name}}
}
