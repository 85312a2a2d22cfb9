// Package managedseedshoot is the admission plugin that refuses the deletion of a ManagedSeed while shoots are on its seed.
package managedseedshoot

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/placement"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ManagedSeedShoot"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Delete)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Validate looks for shoots on the seed, which has the same name. It is called for each object of a collection.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	seed, ok := a.GetOldObject().(*seedmanagement.ManagedSeed)
	if !ok || a.GetSubresource() != "" {
		return nil
	}
	shoot, err := placement.ShootOn(ctx, p.Objects, seed.Name)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if shoot == nil {
		return nil
	}
	return apierrors.NewForbidden(seedmanagement.Resource("managedseeds"), seed.Name, fmt.Errorf("its seed is used by shoot %s/%s", shoot.Namespace, shoot.Name))
}
