// Package controlplane deploys the storage class of the provider to a Shoot and, if machines are containers, the volume
// provisioner. A cloud-controller-manager and a CSI driver are not needed; the status says so.
package controlplane

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/volume"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

const (
	managedResourceName = "extension-controlplane-storageclasses"
	documentKey         = "storageclass.yaml"
)

// Actuator keeps a ManagedResource with the storage class in the namespace of the Shoot.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Storage replaces the storage class of embedded seeds in Shoots, as YAML documents; empty for the class of
	// embedded seeds.
	Storage []byte
	// VolumeDir has the volumes of all shoots; empty if they are not in directories of this machine.
	VolumeDir string
}

var _ contract.ControlPlaneActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil // nothing to expose: the front door routes by name
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

// Delete implements contract.Actuator. It waits until the resource manager has deleted the storage class, and removes what is left of
// volumes.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	if err := a.resource(cp).Delete(ctx); err != nil {
		return err
	}
	return volume.RemoveShoot(a.VolumeDir, cp.Namespace)
}

// ForceDelete implements contract.Actuator. The resource manager of the Shoot may be gone, so its finalizer is removed
// here.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	if err := a.resource(cp).ForceDelete(ctx); err != nil {
		return err
	}
	return volume.RemoveShoot(a.VolumeDir, cp.Namespace)
}

// Migrate implements contract.Actuator. The storage class stays in the Shoot, and volumes where they are; the ManagedResource is deleted.
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
