package admission

import (
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/deletionconfirmation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/extensionlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/resourcereferencemanager"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootdns"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootvalidator"
)

// plugin is one link of the chain.
type plugin struct {
	name     string
	register func(*admission.Plugins) // nil for those that the generic options register
	off      bool                     // by default
}

// plugins lists all in the order of the chain. Mutating ones run first, in this order, then validating ones.
func plugins() []plugin {
	return []plugin{
		{name: lifecycle.PluginName},
		{name: resourcereferencemanager.PluginName, register: resourcereferencemanager.Register},
		{name: shootdns.PluginName, register: shootdns.Register},
		{name: shootvalidator.PluginName, register: shootvalidator.Register},
		{name: extensionlabels.PluginName, register: extensionlabels.Register}, // after those that choose extensions
		{name: deletionconfirmation.PluginName, register: deletionconfirmation.Register},
		{name: mutatingpolicy.PluginName, off: true},
		{name: mutatingwebhook.PluginName},
		{name: validatingpolicy.PluginName},
		{name: validatingwebhook.PluginName},
		{name: resourcequota.PluginName, register: resourcequota.Register}, // last, so that nothing refused is counted
	}
}

// Names of all plugins in order, for the help of flags.
func Names() []string {
	var names []string
	for _, plugin := range plugins() {
		names = append(names, plugin.name)
	}
	return names
}
