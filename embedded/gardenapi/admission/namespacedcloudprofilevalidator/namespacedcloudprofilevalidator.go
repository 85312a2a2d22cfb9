// Package namespacedcloudprofilevalidator is the admission plugin that compares NamespacedCloudProfiles with their parents. A
// project may add entries and extend expiration dates. It may neither redefine entries of the parent nor exceed its limits.
package namespacedcloudprofilevalidator

import (
	"context"
	"io"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "NamespacedCloudProfileValidator"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create, admission.Update)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Validate compares the profile with its parent. It does not check fields that an update leaves unchanged, since the parent may have
// changed.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	profile, ok := a.GetObject().(*core.NamespacedCloudProfile)
	if !ok || a.GetSubresource() != "" || profile.DeletionTimestamp != nil {
		return nil
	}
	var before core.NamespacedCloudProfileSpec
	if old, updating := a.GetOldObject().(*core.NamespacedCloudProfile); updating {
		if apiequality.Semantic.DeepEqual(profile.Spec, old.Spec) {
			return nil
		}
		before = old.Spec
	}
	parent, err := initializer.Get[core.CloudProfile](ctx, p.Objects, core.Resource("cloudprofiles"), "", profile.Spec.Parent.Name)
	switch {
	case apierrors.IsNotFound(err):
		return nil // told by the plugin that looks after references
	case err != nil:
		return apierrors.NewInternalError(err)
	}
	if errs := check(&profile.Spec, &before, &parent.Spec); len(errs) > 0 {
		return apierrors.NewInvalid(a.GetKind().GroupKind(), a.GetName(), fewerrors.Of(errs))
	}
	return nil
}
