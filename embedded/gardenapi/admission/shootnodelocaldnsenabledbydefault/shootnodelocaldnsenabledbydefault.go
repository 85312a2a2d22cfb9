// Package shootnodelocaldnsenabledbydefault is the admission plugin that enables the DNS cache of nodes in new shoots that do not
// set it. It is off by default.
package shootnodelocaldnsenabledbydefault

import (
	"context"
	"io"

	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootNodeLocalDNSEnabledByDefault"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{admission.NewHandler(admission.Create)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ *admission.Handler }

// Admit enables the cache.
func (*Plugin) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || helper.IsWorkerless(shoot) {
		return nil
	}
	if shoot.Spec.SystemComponents == nil {
		shoot.Spec.SystemComponents = &core.SystemComponents{}
	}
	if shoot.Spec.SystemComponents.NodeLocalDNS == nil {
		shoot.Spec.SystemComponents.NodeLocalDNS = &core.NodeLocalDNS{Enabled: true}
	}
	return nil
}
