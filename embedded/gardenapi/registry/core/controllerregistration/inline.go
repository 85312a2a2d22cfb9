package controllerregistration

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// AddInline supports registrations with an inline deployment, the form before there were ControllerDeployments. It keeps a
// ControllerDeployment of the same name equal to the inline deployment.
func AddInline(paths map[string]rest.Storage, registrations, deployments *resource.Storage) {
	paths["controllerregistrations"] = &storage{registrations, deployments}
}

type storage struct {
	*resource.Storage
	deployments *resource.Storage
}

// refer adds a reference to the ControllerDeployment that is made from a registration.
func refer(r *core.ControllerRegistration) {
	if d := r.Spec.Deployment; d != nil && d.Type != nil && len(d.DeploymentRefs) == 0 {
		d.DeploymentRefs = []core.DeploymentRef{{Name: r.Name}}
	}
}

// Create writes the deployment immediately before the registration, so that neither exists for long without the other.
func (s *storage) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	return s.Storage.Create(ctx, obj, func(ctx context.Context, obj runtime.Object) error {
		if err := validate(ctx, obj); err != nil {
			return err
		}
		return s.deploy(ctx, obj, options.DryRun)
	}, options)
}

// Update writes the deployment immediately before the registration, as Create does.
func (s *storage) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, force bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return s.Storage.Update(ctx, name, info, create, func(ctx context.Context, obj, old runtime.Object) error {
		if err := update(ctx, obj, old); err != nil {
			return err
		}
		return s.deploy(ctx, obj, options.DryRun)
	}, force, options)
}

// deploy creates or changes the ControllerDeployment of a registration with an inline deployment.
func (s *storage) deploy(ctx context.Context, obj runtime.Object, dryRun []string) error {
	r := obj.(*core.ControllerRegistration)
	if r.Spec.Deployment == nil || r.Spec.Deployment.Type == nil || r.DeletionTimestamp != nil {
		return nil
	}
	wanted := &core.ControllerDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: r.Name, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(r, core.SchemeGroupVersion.WithKind("ControllerRegistration"))}},
		Type:           *r.Spec.Deployment.Type,
		ProviderConfig: ptr.Deref(r.Spec.Deployment.ProviderConfig, runtime.RawExtension{}),
	}
	_, err := s.deployments.Create(ctx, wanted, rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: dryRun})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	change := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		deployment := old.DeepCopyObject().(*core.ControllerDeployment)
		if !metav1.IsControlledBy(deployment, r) {
			return nil, apierrors.NewConflict(core.Resource("controllerdeployments"), r.Name,
				fmt.Errorf("a ControllerDeployment of this name is there and does not belong to the registration"))
		}
		deployment.Type, deployment.ProviderConfig = wanted.Type, wanted.ProviderConfig
		return deployment, nil
	})
	_, _, err = s.deployments.Update(ctx, r.Name, change, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{DryRun: dryRun})
	return err
}
