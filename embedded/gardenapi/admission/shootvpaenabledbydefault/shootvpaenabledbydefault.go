// Package shootvpaenabledbydefault is the admission plugin that enables the vertical pod autoscaler in new shoots that do not set
// it. It is off by default.
package shootvpaenabledbydefault

import (
	"context"
	"io"

	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootVPAEnabledByDefault"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{admission.NewHandler(admission.Create)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ *admission.Handler }

// Admit enables the autoscaler.
func (*Plugin) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || helper.IsWorkerless(shoot) || shoot.Spec.Kubernetes.VerticalPodAutoscaler != nil {
		return nil
	}
	autoscaler := &core.VerticalPodAutoscaler{Enabled: true}
	core.SetDefaults_VerticalPodAutoscaler(autoscaler) // defaulting is over when plugins run
	shoot.Spec.Kubernetes.VerticalPodAutoscaler = autoscaler
	return nil
}
