package release

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Managed are the ManagedResources in the namespace of a shoot. Their objects in the shoot stay. ManagedResources with a class have objects in
// the seed: extensions remove these when they release what they have, so only AwaitGoneInSeed concerns them.
type Managed struct{ Space seed.Space }

// Keep lets the resource manager leave the objects in the shoot when their ManagedResources are deleted.
func (m Managed) Keep(ctx context.Context) error {
	return m.each(ctx, func(resource *resourcesv1alpha1.ManagedResource) error {
		if ptr.Deref(resource.Spec.KeepObjects, false) {
			return nil
		}
		return m.patch(ctx, resource, `{"spec":{"keepObjects":true}}`)
	})
}

// Delete deletes the ManagedResources.
func (m Managed) Delete(ctx context.Context) error {
	return m.each(ctx, func(resource *resourcesv1alpha1.ManagedResource) error {
		return m.Space.DeleteManaged(ctx, resource.Name)
	})
}

// AwaitGone waits until they are gone. It removes their finalizers itself: the resource manager of a shoot that sleeps does not run,
// and no object has to be deleted with them. ReleaseSecrets does the same for their Secrets.
func (m Managed) AwaitGone(ctx context.Context) error {
	return await.Poll(ctx, func() error {
		left := ""
		err := m.each(ctx, func(resource *resourcesv1alpha1.ManagedResource) error {
			left = resource.Name
			if resource.DeletionTimestamp == nil || len(resource.Finalizers) == 0 || !ptr.Deref(resource.Spec.KeepObjects, false) {
				return nil
			}
			return m.patch(ctx, resource, `{"metadata":{"finalizers":null}}`)
		})
		if err != nil {
			return err
		}
		if left != "" {
			return fmt.Errorf("managed resource %q is still there", left)
		}
		return nil
	})
}

// AwaitGoneInSeed waits until the ManagedResources whose objects are in the seed are gone.
func (m Managed) AwaitGoneInSeed(ctx context.Context) error {
	return await.Poll(ctx, func() error {
		list, err := m.list(ctx)
		for i := range list {
			if !ofShoot(&list[i]) {
				return fmt.Errorf("managed resource %q is still there", list[i].Name)
			}
		}
		return err
	})
}

// ReleaseSecrets removes the finalizers of resource managers from all Secrets of the namespace. A resource manager that learns of a
// ManagedResource after it is gone leaves them.
func (m Managed) ReleaseSecrets(ctx context.Context) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := m.Space.Client.List(ctx, list, client.InNamespace(m.Space.Name)); err != nil {
		return fmt.Errorf("list secrets: %w", err)
	}
	for i := range list.Items {
		secret := &list.Items[i]
		before := secret.DeepCopy()
		secret.Finalizers = slices.DeleteFunc(secret.Finalizers, managedresource.IsFinalizer)
		if len(secret.Finalizers) == len(before.Finalizers) {
			continue
		}
		change := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := m.Space.Client.Patch(ctx, secret, change, seed.Owner); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("release secret %q: %w", secret.Name, err)
		}
	}
	return nil
}

func (m Managed) patch(ctx context.Context, resource *resourcesv1alpha1.ManagedResource, change string) error {
	err := m.Space.Client.Patch(ctx, resource, client.RawPatch("application/merge-patch+json", []byte(change)), seed.Owner)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release managed resource %q: %w", resource.Name, err)
	}
	return nil
}

// each handles those of the shoot.
func (m Managed) each(ctx context.Context, do func(*resourcesv1alpha1.ManagedResource) error) error {
	list, err := m.list(ctx)
	if err != nil {
		return err
	}
	for i := range list {
		if !ofShoot(&list[i]) {
			continue
		}
		if err := do(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m Managed) list(ctx context.Context) ([]resourcesv1alpha1.ManagedResource, error) {
	list := &resourcesv1alpha1.ManagedResourceList{}
	if err := m.Space.Client.List(ctx, list, client.InNamespace(m.Space.Name)); err != nil {
		return nil, fmt.Errorf("list managed resources: %w", err)
	}
	return list.Items, nil
}

func ofShoot(resource *resourcesv1alpha1.ManagedResource) bool {
	return ptr.Deref(resource.Spec.Class, "") == ""
}
