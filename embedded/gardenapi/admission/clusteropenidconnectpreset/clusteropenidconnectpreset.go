// Package clusteropenidconnectpreset is the admission plugin that gives a new Shoot the OpenID Connect configuration of a
// ClusterOpenIDConnectPreset that selects its Project. It runs after the plugin for presets of the namespace.
package clusteropenidconnectpreset

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/oidc"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ClusterOpenIDConnectPreset"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Admit applies the best preset.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := oidc.Candidate(a)
	if !ok {
		return nil
	}
	var presets []*settings.ClusterOpenIDConnectPreset
	err := p.Objects.EachCached(ctx, settings.Resource("clusteropenidconnectpresets"), "", func(obj runtime.Object) bool {
		presets = append(presets, obj.(*settings.ClusterOpenIDConnectPreset))
		return true
	})
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if len(presets) == 0 { // saves finding the project
		return nil
	}
	project, err := projects.Of(ctx, p.Objects, a.GetNamespace())
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if project == nil { // ShootValidator refuses such shoots
		return nil
	}
	if err := apply(presets, project, shoot); err != nil {
		return apierrors.NewInternalError(err)
	}
	return nil
}

func apply(presets []*settings.ClusterOpenIDConnectPreset, project *core.Project, shoot *core.Shoot) error {
	var choice oidc.Choice
	for _, preset := range presets {
		matches, err := oidc.Selects(preset.Spec.ProjectSelector, project.Labels)
		if err != nil {
			return fmt.Errorf("project selector of preset %q: %w", preset.Name, err)
		}
		if !matches {
			continue
		}
		if err := choice.Offer(preset.Name, &preset.Spec.OpenIDConnectPresetSpec, shoot); err != nil {
			return err
		}
	}
	choice.Apply(shoot)
	return nil
}
