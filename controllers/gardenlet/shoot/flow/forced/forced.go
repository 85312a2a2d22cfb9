// Package forced empties the namespace of a shoot in the seed for a forced deletion: it asks neither the shoot nor its
// controllers, which may never answer. What is left in the infrastructure is the user's, who asked for it.
package forced

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Leftovers are the objects of a shoot in its namespace that hold the deletion of the namespace.
type Leftovers struct{ Space seed.Space }

// extensionKinds are the kinds in the namespace that extensions reconcile.
var extensionKinds = []string{
	extensionsv1alpha1.BastionResource, extensionsv1alpha1.ContainerRuntimeResource, extensionsv1alpha1.ControlPlaneResource,
	extensionsv1alpha1.DNSRecordResource, extensionsv1alpha1.ExtensionResource, extensionsv1alpha1.InfrastructureResource,
	extensionsv1alpha1.NetworkResource, extensionsv1alpha1.OperatingSystemConfigResource, extensionsv1alpha1.WorkerResource,
}

// DeleteExtensions deletes all objects of extensions, and tells the extensions not to wait for anything.
func (l Leftovers) DeleteExtensions(ctx context.Context) error {
	force := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, constants.ConfirmationForceDeletion)
	for _, kind := range extensionKinds {
		list, err := l.list(ctx, extensionsv1alpha1.SchemeGroupVersion.WithKind(kind))
		if err != nil {
			return err
		}
		for i := range list {
			err := l.Space.Client.Patch(ctx, &list[i], client.RawPatch("application/merge-patch+json", force))
			if client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("force deletion of %s %q: %w", kind, list[i].GetName(), err)
			}
		}
		if err := l.Space.Extensions.DeleteAll(ctx, kind, l.Space.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// AwaitExtensionsGone waits for the extensions, which know what they have made.
func (l Leftovers) AwaitExtensionsGone(ctx context.Context) error {
	for _, kind := range extensionKinds {
		if err := l.Space.Extensions.WaitAllGone(ctx, kind, l.Space.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// DeleteMachines removes the machines, whose controller does not run any more. Those that make others are first.
func (l Leftovers) DeleteMachines(ctx context.Context) error {
	for _, kind := range []string{"MachineDeployment", "MachineSet", "Machine", "MachineClass"} {
		if err := l.remove(ctx, machinev1alpha1.SchemeGroupVersion.WithKind(kind), nil); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseManaged removes the ManagedResources of the shoot. Their objects disappear with it.
func (l Leftovers) ReleaseManaged(ctx context.Context) error {
	return l.remove(ctx, managed, ofShoot)
}

// DeleteManagedInSeed deletes the ManagedResources whose objects are in the seed; the seed's resource manager deletes
// their objects.
func (l Leftovers) DeleteManagedInSeed(ctx context.Context) error {
	list, err := l.list(ctx, managed)
	if err != nil {
		return err
	}
	for i := range list {
		if !ofShoot(&list[i]) {
			if err := l.Space.Delete(ctx, &list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// AwaitManagedGone waits until no ManagedResource is left.
func (l Leftovers) AwaitManagedGone(ctx context.Context) error {
	return await.Poll(ctx, func() error {
		list, err := l.list(ctx, managed)
		if err != nil || len(list) == 0 {
			return err
		}
		return fmt.Errorf("managed resource %q is still there", list[0].GetName())
	})
}

// ReleaseData removes Secrets and ConfigMaps that controllers of the shoot protect, such as those of ManagedResources.
func (l Leftovers) ReleaseData(ctx context.Context) error {
	protected := func(object *unstructured.Unstructured) bool { return len(object.GetFinalizers()) > 0 }
	for _, kind := range []string{"Secret", "ConfigMap"} {
		if err := l.remove(ctx, corev1.SchemeGroupVersion.WithKind(kind), protected); err != nil {
			return err
		}
	}
	return nil
}

var managed = resourcesv1alpha1.SchemeGroupVersion.WithKind("ManagedResource")

// ofShoot reports whether the objects of a ManagedResource are in the shoot.
func ofShoot(resource *unstructured.Unstructured) bool {
	class, _, _ := unstructured.NestedString(resource.Object, "spec", "class")
	return class == ""
}

// remove deletes the chosen objects of a kind without waiting for the owners of their finalizers; nil chooses all.
func (l Leftovers) remove(ctx context.Context, gvk schema.GroupVersionKind, chosen func(*unstructured.Unstructured) bool) error {
	list, err := l.list(ctx, gvk)
	if err != nil {
		return err
	}
	for i := range list {
		object := &list[i]
		if chosen != nil && !chosen(object) {
			continue
		}
		if err := l.Space.Delete(ctx, object); err != nil {
			return err
		}
		if len(object.GetFinalizers()) == 0 {
			continue
		}
		err := l.Space.Client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("release %s %q: %w", gvk.Kind, object.GetName(), err)
		}
	}
	return nil
}

func (l Leftovers) list(ctx context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := l.Space.Client.List(ctx, list, client.InNamespace(l.Space.Name)); err != nil {
		return nil, fmt.Errorf("list objects of kind %s in namespace %q: %w", gvk.Kind, l.Space.Name, err)
	}
	return list.Items, nil
}
