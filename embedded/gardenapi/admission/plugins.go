package admission

import (
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/bastion"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/clusteropenidconnectpreset"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/controllerregistrationresources"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/customverbauthorizer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/deletionconfirmation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/extensionlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/extensionvalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/managedseed"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/managedseedshoot"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/namespacedcloudprofilevalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/openidconnectpreset"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/plantvalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projectvalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/resourcereferencemanager"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/seedvalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootdns"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootdnsrewriting"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootexposureclass"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootmanagedseed"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootnodelocaldnsenabledbydefault"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootquotavalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shoottolerationrestriction"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootvalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/shootvpaenabledbydefault"
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
		{name: extensionvalidator.PluginName, register: extensionvalidator.Register},
		{name: extensionlabels.PluginName, register: extensionlabels.Register},
		{name: plantvalidator.PluginName, register: plantvalidator.Register}, // of older Gardener, at the same place
		{name: shoottolerationrestriction.PluginName, register: shoottolerationrestriction.Register},
		{name: shootexposureclass.PluginName, register: shootexposureclass.Register},
		{name: shootdns.PluginName, register: shootdns.Register},
		{name: shootmanagedseed.PluginName, register: shootmanagedseed.Register},
		{name: shootnodelocaldnsenabledbydefault.PluginName, register: shootnodelocaldnsenabledbydefault.Register, off: true},
		{name: shootdnsrewriting.PluginName, register: shootdnsrewriting.Register, off: true},
		{name: shootquotavalidator.PluginName, register: shootquotavalidator.Register},
		{name: shootvalidator.PluginName, register: shootvalidator.Register},
		{name: seedvalidator.PluginName, register: seedvalidator.Register},
		{name: namespacedcloudprofilevalidator.PluginName, register: namespacedcloudprofilevalidator.Register}, // of newer Gardener
		{name: controllerregistrationresources.PluginName, register: controllerregistrationresources.Register},
		{name: projectvalidator.PluginName, register: projectvalidator.Register},
		{name: deletionconfirmation.PluginName, register: deletionconfirmation.Register},
		{name: openidconnectpreset.PluginName, register: openidconnectpreset.Register},
		{name: clusteropenidconnectpreset.PluginName, register: clusteropenidconnectpreset.Register}, // the namespace's wins
		{name: customverbauthorizer.PluginName, register: customverbauthorizer.Register},
		{name: shootvpaenabledbydefault.PluginName, register: shootvpaenabledbydefault.Register, off: true},
		{name: managedseed.PluginName, register: managedseed.Register},
		{name: managedseedshoot.PluginName, register: managedseedshoot.Register},
		{name: bastion.PluginName, register: bastion.Register},
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
