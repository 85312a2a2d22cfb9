// Package deletionconfirmation is the admission plugin that prevents the accidental deletion of Projects, Shoots and
// ShootStates: the object must have an annotation before it is deleted.
package deletionconfirmation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "DeletionConfirmation"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct {
	*admission.Handler
	objects initializer.Objects
}

var protected = []schema.GroupResource{core.Resource("projects"), core.Resource("shoots"), core.Resource("shootstates")}

// SetObjects sets the reader of objects.
func (p *Plugin) SetObjects(objects initializer.Objects) { p.objects = objects }

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.objects == nil {
		return fmt.Errorf("%s: no reader of objects", PluginName)
	}
	return nil
}

// Validate refuses to delete an object without the annotation. It is called for each object of a collection.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	resource := a.GetResource().GroupResource()
	if a.GetOperation() != admission.Delete || a.GetSubresource() != "" || !slices.Contains(protected, resource) {
		return nil
	}
	object, err := p.object(ctx, a)
	if err != nil || object == nil {
		return err
	}
	if helper.DeletionIsConfirmed(object.GetAnnotations()) {
		if shoot, ok := object.(*core.Shoot); ok {
			if helper.Migrates(shoot) {
				return apierrors.NewForbidden(resource, shoot.Name, errors.New("its control plane is being migrated to another seed: delete it when it is restored"))
			}
			return p.checkTwoPeople(ctx, a, shoot)
		}
		return nil
	}
	// Not by admission.NewForbidden, which does not know the names of the objects in a collection.
	return apierrors.NewForbidden(resource, object.GetName(), fmt.Errorf("must have the annotation %s=true to be deleted", constants.ConfirmationDeletion))
}

// object is what is to be deleted; nil if there is none or if it is not known yet, as for a whole collection.
func (p *Plugin) object(ctx context.Context, a admission.Attributes) (metav1.Object, error) {
	if old := a.GetOldObject(); old != nil {
		return meta.Accessor(old)
	}
	if a.GetName() == "" {
		return nil, nil
	}
	found, err := p.objects.Get(ctx, a.GetResource().GroupResource(), a.GetNamespace(), a.GetName())
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return meta.Accessor(found)
}
