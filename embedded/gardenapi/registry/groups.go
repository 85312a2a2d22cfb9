package registry

import (
	genericapiserver "k8s.io/apiserver/pkg/server"

	corev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settingsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/backupbucket"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/backupentry"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/cloudprofile"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/controllerdeployment"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/controllerinstallation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/controllerregistration"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/exposureclass"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/internalsecret"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/namespacedcloudprofile"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/plant"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/project"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/quota"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/secretbinding"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/seed"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/shoot"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/shootstate"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/operations/bastion"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/security/credentialsbinding"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/security/workloadidentity"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/seedmanagement/gardenlet"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/seedmanagement/managedseed"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/seedmanagement/managedseedset"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/seedmanagement/seedautoscaler"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/settings/clusteropenidconnectpreset"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/settings/openidconnectpreset"
)

func (b *builder) core() *genericapiserver.APIGroupInfo {
	v1, v1alpha1, v1beta1 := paths{}, paths{}, paths{}
	add(b, v1beta1, backupbucket.Definition())
	add(b, v1beta1, backupentry.Definition())
	add(b, v1beta1, cloudprofile.Definition())
	deployments := add(b, v1beta1, controllerdeployment.Definition())
	add(b, v1beta1, controllerinstallation.Definition())
	registrations := add(b, v1beta1, controllerregistration.Definition())
	classes := add(b, v1beta1, exposureclass.Definition())
	secrets := add(b, v1beta1, internalsecret.Definition())
	add(b, v1beta1, namespacedcloudprofile.Definition())
	plants := add(b, v1beta1, plant.Definition())
	add(b, v1beta1, project.Definition())
	add(b, v1beta1, quota.Definition())
	add(b, v1beta1, secretbinding.Definition())
	add(b, v1beta1, seed.Definition())
	shoots := add(b, v1beta1, shoot.Definition(b.Shoot))
	states := add(b, v1beta1, shootstate.Definition())
	if b.err == nil {
		controllerregistration.AddInline(v1beta1, registrations.Main, deployments.Main)
		deployments.Add(v1) // the same objects in another form
		for _, old := range []resource.Storages{classes, plants, states} {
			old.Add(v1alpha1) // the same objects under another name
		}
		shoot.AddSubresources(v1beta1, shoots.Main.Store, secrets.Main, states.Main, b.Kubeconfigs)
	}
	return b.group(corev1beta1.GroupName, map[string]paths{"v1": v1, "v1beta1": v1beta1, "v1alpha1": v1alpha1})
}

func (b *builder) seedManagement() *genericapiserver.APIGroupInfo {
	v1alpha1 := paths{}
	add(b, v1alpha1, gardenlet.Definition())
	add(b, v1alpha1, managedseed.Definition())
	sets := add(b, v1alpha1, managedseedset.Definition())
	add(b, v1alpha1, seedautoscaler.Definition())
	if b.err == nil {
		managedseedset.AddScale(v1alpha1, sets.Main.Store)
	}
	return b.group(seedmanagementv1alpha1.GroupName, map[string]paths{"v1alpha1": v1alpha1})
}

func (b *builder) settings() *genericapiserver.APIGroupInfo {
	v1alpha1 := paths{}
	add(b, v1alpha1, clusteropenidconnectpreset.Definition())
	add(b, v1alpha1, openidconnectpreset.Definition())
	return b.group(settingsv1alpha1.GroupName, map[string]paths{"v1alpha1": v1alpha1})
}

func (b *builder) operations() *genericapiserver.APIGroupInfo {
	v1alpha1 := paths{}
	add(b, v1alpha1, bastion.Definition(b.bastionRules()))
	return b.group(operationsv1alpha1.GroupName, map[string]paths{"v1alpha1": v1alpha1})
}

func (b *builder) security() *genericapiserver.APIGroupInfo {
	v1alpha1 := paths{}
	add(b, v1alpha1, credentialsbinding.Definition())
	identities := add(b, v1alpha1, workloadidentity.Definition())
	if b.err == nil {
		workloadidentity.AddToken(v1alpha1, identities.Main, b.tokens())
	}
	return b.group(securityv1alpha1.GroupName, map[string]paths{"v1alpha1": v1alpha1})
}
