// Package projectvalidator is the admission plugin that keeps projects in namespaces of their own: only those whose
// names begin with garden- can be meant by a user.
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

// Validate refuses other namespaces. The garden's own is that of the project of its operators.
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
