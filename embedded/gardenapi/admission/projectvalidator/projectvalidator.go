// Package projectvalidator is the admission plugin that allows projects only in namespaces whose names begin with garden-.
package projectvalidator

import (
	"context"
	"fmt"
	"io"
	"strings"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ProjectValidator"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{admission.NewHandler(admission.Create)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ *admission.Handler }

// Validate refuses other namespaces. The exception is the namespace garden, of the project of the garden's operators.
func (*Plugin) Validate(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	project, ok := a.GetObject().(*core.Project)
	if !ok || a.GetSubresource() != "" {
		return nil
	}
	namespace := ptr.Deref(project.Spec.Namespace, "")
	if namespace == "" || namespace == constants.GardenNamespace || strings.HasPrefix(namespace, constants.ProjectNamespacePrefix) {
		return nil
	}
	return admission.NewForbidden(a, fmt.Errorf("spec.namespace %q must begin with %s", namespace, constants.ProjectNamespacePrefix))
}
