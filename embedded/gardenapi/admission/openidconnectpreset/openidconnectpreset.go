// Package openidconnectpreset is the admission plugin that gives a new Shoot the OpenID Connect configuration of an
// OpenIDConnectPreset in its namespace.
package openidconnectpreset

import (
	"context"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/oidc"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "OpenIDConnectPreset"

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
	var choice oidc.Choice
	var bad error
	err := p.Objects.EachCached(ctx, settings.Resource("openidconnectpresets"), a.GetNamespace(), func(obj runtime.Object) bool {
		preset := obj.(*settings.OpenIDConnectPreset)
		bad = choice.Offer(preset.Name, &preset.Spec, shoot)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	choice.Apply(shoot)
	return nil
}
