// Package plantvalidator is the admission plugin that records the creator of a Plant, and refuses new Plants in projects that are
// being deleted.
package plantvalidator

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "PlantValidator"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Admit checks the project of a new plant.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	plant, ok := a.GetObject().(*core.Plant)
	if !ok || a.GetSubresource() != "" {
		return nil
	}
	project, err := projects.Of(ctx, p.Objects, a.GetNamespace())
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if project != nil && project.DeletionTimestamp != nil {
		return admission.NewForbidden(a, fmt.Errorf("project %q is being deleted", project.Name))
	}
	if plant.Annotations == nil {
		plant.Annotations = map[string]string{}
	}
	plant.Annotations[constants.GardenCreatedBy] = a.GetUserInfo().GetName()
	return nil
}
