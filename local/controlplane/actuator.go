// Package controlplane deploys the provider's part of the control plane of a Shoot: the cloud controller, the storage class and, if machines are
// containers, the volume provisioner. The cloud controller provisions the volumes of machines that are pods.
package controlplane

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/volume"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

const (
	managedResourceName = "extension-controlplane-storageclasses"
	documentKey         = "storageclass.yaml"
)

// Actuator keeps ManagedResources with the storage class and the cloud controller in the namespace of the Shoot.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Storage replaces the storage class of embedded seeds in Shoots, as YAML documents; empty for the class of
	// embedded seeds.
	Storage []byte
	// VolumeDir has the volumes of all shoots; empty if they are not in directories of this machine.
	VolumeDir string
	// Image is the appliance image, for the cloud controller. Without an image there is none.
	Image string
	// Pods signs the pods of the cloud controller; nil signs none.
	Pods *podsignature.Signer
}

var _ contract.ControlPlaneActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, cluster *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil // nothing to expose: the front door routes by name
	}
	storage, err := a.storage()
	if err != nil {
		return err
	}
	if err := a.resource(cp).Apply(ctx, map[string][]byte{documentKey: storage}); err != nil {
		return err
	}
	if err := a.cloudController(ctx, cluster, cp); err != nil {
		return err
	}
	classes, err := classes(storage)
	if err != nil {
		return err
	}
	cp.Status.ProviderStatus = api.Encode(api.ControlPlaneStatus{
		TypeMeta: api.Meta("ControlPlaneStatus"), CloudControllerManager: a.Image != "", StorageClasses: classes,
	})
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

// Delete implements contract.Actuator. It waits until the resource managers have deleted all objects, the cloud controller first, and removes what
// is left of volumes.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	if err := a.stopped(ctx, cp); err != nil {
		return err
	}
	if err := errors.Join(a.resourceNamed(cp, shootName).Delete(ctx), a.resource(cp).Delete(ctx)); err != nil {
		return err
	}
	return volume.RemoveShoot(ctx, a.VolumeDir, cp.Namespace)
}

// ForceDelete implements contract.Actuator. The resource manager of the Shoot may be gone, so its finalizer is removed
// here.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	if err := a.stopped(ctx, cp); err != nil {
		return err
	}
	if err := errors.Join(a.resourceNamed(cp, shootName).ForceDelete(ctx), a.resource(cp).ForceDelete(ctx)); err != nil {
		return err
	}
	return volume.RemoveShoot(ctx, a.VolumeDir, cp.Namespace)
}

// Migrate implements contract.Actuator. The cloud controller of this seed goes. What is in the Shoot stays there, and volumes where they are.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	if exposure(cp) {
		return nil
	}
	if err := a.stopped(ctx, cp); err != nil {
		return err
	}
	return errors.Join(a.resourceNamed(cp, shootName).Migrate(ctx), a.resource(cp).Migrate(ctx))
}

// Restore implements contract.Actuator.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, cp *extensionsv1alpha1.ControlPlane) error {
	return a.Reconcile(ctx, cluster, cp)
}

func (a *Actuator) resource(cp *extensionsv1alpha1.ControlPlane) managed.Resource {
	return a.resourceNamed(cp, managedResourceName)
}

func exposure(cp *extensionsv1alpha1.ControlPlane) bool {
	return cp.Spec.Purpose != nil && *cp.Spec.Purpose == extensionsv1alpha1.Exposure
}
