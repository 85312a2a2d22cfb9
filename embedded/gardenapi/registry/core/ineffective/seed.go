package ineffective

import (
	"sync"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Seed is about Seeds.
var Seed = Table[*core.Seed]{
	Fields: []Field{
		{Path: "spec.accessRestrictions"},
		{Path: "spec.dns.defaults[].domain", Instead: "a Secret with the label gardener.cloud/role=default-domain and the annotation dns.gardener.cloud/domain"},
		{Path: "spec.dns.defaults[].zone"},
		{Path: "spec.dns.ingressDomain", Instead: "spec.ingress.domain"},
		{Path: "spec.dns.internal.domain", Instead: "a Secret with the label gardener.cloud/role=internal-domain and the annotation dns.gardener.cloud/domain"},
		{Path: "spec.dns.internal.zone"},
		{Path: "spec.dns.provider.domains"},
		{Path: "spec.dns.provider.zones"},
		{Path: "spec.ingress.controller.providerConfig"},
		{Path: "spec.provider.providerConfig"},
		{Path: "spec.resources"},
		{Path: "spec.settings.dependencyWatchdog.endpoint", Instead: "spec.settings.dependencyWatchdog.weeder"},
		{Path: "spec.settings.dependencyWatchdog.probe", Instead: "spec.settings.dependencyWatchdog.prober"},
		{Path: "spec.settings.excessCapacityReservation"},
		{Path: "spec.settings.loadBalancerServices"},
		{Path: "spec.settings.persistentVolumeClaimAutoscaler"},
		{Path: "spec.settings.topologyAwareRouting"},
		{Path: "spec.settings.zoneSelection"},
		{Path: "spec.volume"},
	},
	Default: sync.OnceValue(func() *core.Seed {
		seed := &core.Seed{}
		core.SetObjectDefaults_Seed(seed)
		return seed
	}),
}
