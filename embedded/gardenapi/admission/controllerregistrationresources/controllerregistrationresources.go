// Package controllerregistrationresources is the admission plugin that allows only one primary ControllerRegistration for
// each kind and type.
package controllerregistrationresources

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ControllerRegistrationResources"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create, admission.Update)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Validate refuses a primary resource that is also primary in another registration.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	registration, ok := a.GetObject().(*core.ControllerRegistration)
	if !ok || a.GetSubresource() != "" || registration.DeletionTimestamp != nil {
		return nil
	}
	wanted := primaries(registration)
	if old, updating := a.GetOldObject().(*core.ControllerRegistration); updating {
		for had := range primaries(old) {
			delete(wanted, had)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var taken resource
	other, err := initializer.First(ctx, p.Objects, core.Resource("controllerregistrations"), "", func(other *core.ControllerRegistration) bool {
		if other.Name == registration.Name {
			return false
		}
		for had := range primaries(other) {
			if wanted[had] {
				taken = had
				return true
			}
		}
		return false
	})
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("look for other registrations: %w", err))
	}
	if other != nil {
		return admission.NewForbidden(a, fmt.Errorf("registration %q is already primary for kind %s, type %s", other.Name, taken.kind, taken.typ))
	}
	return nil
}

type resource struct{ kind, typ string }

func primaries(registration *core.ControllerRegistration) map[resource]bool {
	out := map[resource]bool{}
	for _, one := range registration.Spec.Resources {
		if ptr.Deref(one.Primary, true) {
			out[resource{one.Kind, one.Type}] = true
		}
	}
	return out
}
