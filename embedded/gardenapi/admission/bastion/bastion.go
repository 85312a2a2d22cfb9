// Package bastion is the admission plugin for Bastions. It copies the seed and the provider type from the Shoot, records
// the creator, and lets only the creator change the addresses that may connect.
package bastion

import (
	"context"
	"fmt"
	"io"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "Bastion"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create, admission.Update)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Admit completes and checks a bastion.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	bastion, ok := a.GetObject().(*operations.Bastion)
	if !ok || a.GetSubresource() != "" || bastion.DeletionTimestamp != nil {
		return nil
	}
	if old, updating := a.GetOldObject().(*operations.Bastion); updating {
		return update(a, bastion, old)
	}
	shoot, err := p.shoot(ctx, a, bastion)
	if err != nil {
		return err
	}
	bastion.Spec.SeedName, bastion.Spec.ProviderType = shoot.Spec.SeedName, &shoot.Spec.Provider.Type
	if bastion.Annotations == nil {
		bastion.Annotations = map[string]string{}
	}
	bastion.Annotations[constants.GardenCreatedBy] = a.GetUserInfo().GetName()
	owner := *metav1.NewControllerRef(shoot, core.SchemeGroupVersion.WithKind("Shoot"))
	bastion.OwnerReferences = slices.DeleteFunc(bastion.OwnerReferences, func(r metav1.OwnerReference) bool {
		return r.Kind == owner.Kind && r.APIVersion == owner.APIVersion
	})
	bastion.OwnerReferences = append(bastion.OwnerReferences, owner)
	return nil
}

// update keeps the record of the creator, and refuses changes of the ingress by other users.
func update(a admission.Attributes, bastion, old *operations.Bastion) error {
	creator, known := old.Annotations[constants.GardenCreatedBy]
	if known {
		if bastion.Annotations == nil {
			bastion.Annotations = map[string]string{}
		}
		bastion.Annotations[constants.GardenCreatedBy] = creator
	}
	if known && creator != a.GetUserInfo().GetName() && !apiequality.Semantic.DeepEqual(bastion.Spec.Ingress, old.Spec.Ingress) {
		return admission.NewForbidden(a, fmt.Errorf("spec.ingress: only the creator %q may change it", creator))
	}
	return nil
}

// shoot returns the shoot if it can have a bastion.
func (p *Plugin) shoot(ctx context.Context, a admission.Attributes, bastion *operations.Bastion) (*core.Shoot, error) {
	name, path := bastion.Spec.ShootRef.Name, field.NewPath("spec", "shootRef", "name")
	if name == "" {
		return nil, invalid(bastion, field.Required(path, "must name a shoot"))
	}
	shoot, err := initializer.Get[core.Shoot](ctx, p.Objects, core.Resource("shoots"), a.GetNamespace(), name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, invalid(bastion, field.NotFound(path, name))
	case err != nil:
		return nil, apierrors.NewInternalError(err)
	case shoot.DeletionTimestamp != nil:
		return nil, invalid(bastion, field.Invalid(path, name, "the shoot is being deleted"))
	case shoot.Spec.SeedName == nil:
		return nil, invalid(bastion, field.Invalid(path, name, "the shoot has no seed yet"))
	case !helper.WantsSSHAccess(shoot):
		return nil, invalid(bastion, field.Invalid(path, name, "SSH access to the nodes of the shoot is disabled"))
	default:
		return shoot, nil
	}
}

func invalid(bastion *operations.Bastion, err *field.Error) error {
	name := bastion.Name
	if name == "" {
		name = bastion.GenerateName
	}
	return apierrors.NewInvalid(operations.Kind("Bastion"), name, field.ErrorList{err})
}
