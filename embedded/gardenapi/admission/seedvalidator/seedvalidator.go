// Package seedvalidator is the admission plugin that refuses to delete seeds, or zones of seeds, that shoots use.
package seedvalidator

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/placement"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "SeedValidator"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Update, admission.Delete)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Validate looks for shoots that the request would deprive of their seed, or of a zone of it. It is called for each seed of a
// collection.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	old, ok := a.GetOldObject().(*core.Seed)
	if !ok || a.GetSubresource() != "" {
		return nil
	}
	what := "the seed cannot be deleted"
	if seed, updating := a.GetObject().(*core.Seed); updating {
		gone := sets.New(old.Spec.Provider.Zones...).Delete(seed.Spec.Provider.Zones...)
		if len(gone) == 0 {
			return nil
		}
		what = fmt.Sprintf("zones %v cannot be removed", sets.List(gone))
	}
	shoot, err := placement.ShootOn(ctx, p.Objects, old.Name)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if shoot == nil {
		return nil
	}
	return apierrors.NewForbidden(core.Resource("seeds"), old.Name, fmt.Errorf("%s: it is used by shoot %s/%s", what, shoot.Namespace, shoot.Name))
}
