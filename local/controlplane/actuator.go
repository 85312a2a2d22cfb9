// Package controlplane puts the provider's storage class into a Shoot, and where machines are containers what provides the
// volumes. A cloud-controller-manager and a CSI driver are not needed; the status says so.
package controlplane

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/managed"
	"github.com/gardener-up/gardener-up/local/volume"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	managedResourceName = "extension-controlplane-storageclasses"
	documentKey         = "storageclass.yaml"
)

// Actuator keeps a ManagedResource with the storage class in the Shoot's namespace.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Storage is what Shoots get instead of the class of embedded seeds, in YAML documents; empty for that one.
	Storage []byte
}

var _ contract.ControlPlaneActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil // needs nothing: the front door routes by name
	}
	documents, err := a.storage()
	if err != nil {
		return err
	}
	if err := a.resource(cp).Apply(ctx, map[string][]byte{documentKey: documents}); err != nil {
		return err
	}
	classes, err := classes(documents)
	if err != nil {
		return err
	}
	cp.Status.ProviderStatus = api.Encode(api.ControlPlaneStatus{TypeMeta: api.Meta("ControlPlaneStatus"), StorageClasses: classes})
	return nil
}

func (a *Actuator) storage() ([]byte, error) {
	if len(a.Storage) > 0 {
		return a.Storage, nil
	}
	data, err := yaml.Marshal(volume.StorageClass())
	if err != nil {
		return nil, fmt.Errorf("encode storage class: %w", err)
	}
	return data, nil
}

// Delete implements contract.Actuator. It waits until the resource manager has let go of the storage class.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	return a.resource(cp).Delete(ctx)
}

// ForceDelete implements contract.Actuator. The Shoot's resource manager may be gone, so its finalizer is removed here.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	return a.resource(cp).ForceDelete(ctx)
}

// Migrate implements contract.Actuator: the storage class stays in the Shoot, the description of it goes.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	return a.resource(cp).Migrate(ctx)
}

// Restore implements contract.Actuator.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	return a.Reconcile(ctx, cluster, cp)
}

func (a *Actuator) resource(cp *extensionsv1alpha1.ControlPlane) managed.Resource {
	return managed.Resource{Client: a.Client, Namespace: cp.Namespace, Name: managedResourceName}
}

func exposure(cp *extensionsv1alpha1.ControlPlane) bool {
	return cp.Spec.Purpose != nil && *cp.Spec.Purpose == extensionsv1alpha1.Exposure
}
