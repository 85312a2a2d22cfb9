// Package controlplane puts the provider's storage class into a Shoot. A cloud-controller-manager and a CSI driver are
// not needed for embedded machines; the status says so.
package controlplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/volume"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	managedResourceName = "extension-controlplane-storageclasses"
	secretName          = "managedresource-" + managedResourceName
	secretKey           = "storageclass.yaml"
)

// Actuator keeps a ManagedResource with the storage class in the Shoot's namespace.
type Actuator struct {
	// Client of the seed.
	Client client.Client
}

var _ contract.ControlPlaneActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil // needs nothing: the front door routes by name
	}
	class := volume.StorageClass()
	data, err := yaml.Marshal(class)
	if err != nil {
		return fmt.Errorf("encode storage class: %w", err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: secretName}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, secret, func() error {
		secret.Type = corev1.SecretTypeOpaque
		secret.Data = map[string][]byte{secretKey: data}
		return nil
	}); err != nil {
		return fmt.Errorf("write secret %s: %w", secretName, err)
	}
	resource := managedResource(cp.Namespace)
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, resource, func() error {
		resource.Spec.SecretRefs = []corev1.LocalObjectReference{{Name: secretName}}
		resource.Spec.InjectLabels = map[string]string{"shoot.gardener.cloud/no-cleanup": "true"}
		return nil
	}); err != nil {
		return fmt.Errorf("write managed resource %s: %w", managedResourceName, err)
	}
	cp.Status.ProviderStatus = api.Encode(api.ControlPlaneStatus{
		TypeMeta:       api.Meta("ControlPlaneStatus"),
		StorageClasses: names(class),
	})
	return nil
}

// Delete implements contract.Actuator. It waits until the resource manager has let go of the storage class.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	return a.remove(ctx, cp, false)
}

// ForceDelete implements contract.Actuator. The Shoot's resource manager may be gone, so its finalizer is removed here.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	resource := managedResource(cp.Namespace)
	if err := a.Client.Get(ctx, client.ObjectKeyFromObject(resource), resource); apierrors.IsNotFound(err) {
		return a.remove(ctx, cp, false)
	} else if err != nil {
		return fmt.Errorf("read managed resource %s: %w", managedResourceName, err)
	}
	before := resource.DeepCopy()
	resource.Finalizers = nil
	if err := a.Client.Patch(ctx, resource, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release managed resource %s: %w", managedResourceName, err)
	}
	return a.remove(ctx, cp, false)
}

// Migrate implements contract.Actuator: the storage class stays in the Shoot, the description of it goes.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	return a.remove(ctx, cp, true)
}

// Restore implements contract.Actuator.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	return a.Reconcile(ctx, cluster, cp)
}

func (a *Actuator) remove(ctx context.Context, cp *extensionsv1alpha1.ControlPlane, keepObjects bool) error {
	if exposure(cp) {
		return nil
	}
	resource := managedResource(cp.Namespace)
	err := a.Client.Get(ctx, client.ObjectKeyFromObject(resource), resource)
	if err == nil {
		if keepObjects && (resource.Spec.KeepObjects == nil || !*resource.Spec.KeepObjects) {
			before := resource.DeepCopy()
			resource.Spec.KeepObjects = &keepObjects
			if err := a.Client.Patch(ctx, resource, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("keep objects of managed resource %s: %w", managedResourceName, err)
			}
		}
		if err := a.Client.Delete(ctx, resource); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete managed resource %s: %w", managedResourceName, err)
		}
		return contract.Waiting{For: "managed resource " + managedResourceName + " to go"}
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("read managed resource %s: %w", managedResourceName, err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: secretName}}
	if err := a.Client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s: %w", secretName, err)
	}
	return nil
}

func exposure(cp *extensionsv1alpha1.ControlPlane) bool {
	return cp.Spec.Purpose != nil && *cp.Spec.Purpose == extensionsv1alpha1.Exposure
}

func managedResource(namespace string) *resourcesv1alpha1.ManagedResource {
	return &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: managedResourceName}}
}

func names(classes ...*storagev1.StorageClass) []string {
	var out []string
	for _, class := range classes {
		out = append(out, class.Name)
	}
	return out
}
