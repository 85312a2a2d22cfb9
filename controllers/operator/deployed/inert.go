package deployed

import (
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// inert returns the fields of a Garden that are set and change nothing in this host.
func inert(garden *operatorv1alpha1.Garden) []string {
	var fields []string
	note := func(set bool, name string) {
		if set {
			fields = append(fields, name)
		}
	}
	note(garden.Spec.DNS != nil, "spec.dns")
	note(len(garden.Spec.Extensions) > 0, "spec.extensions")
	const runtime, virtual = "spec.runtimeCluster.", "spec.virtualCluster."
	if settings := garden.Spec.RuntimeCluster.Settings; settings != nil {
		note(settings.PersistentVolumeClaimAutoscaler != nil, runtime+"settings.persistentVolumeClaimAutoscaler")
		note(settings.LoadBalancerServices != nil && settings.LoadBalancerServices.ProxyProtocol != nil, runtime+"settings.loadBalancerServices.proxyProtocol")
	}
	note(garden.Spec.RuntimeCluster.Volume != nil, runtime+"volume")
	cluster := &garden.Spec.VirtualCluster
	note(len(cluster.Networking.Services) > 1, virtual+"networking.services after the first")
	if server := cluster.Kubernetes.KubeAPIServer; server != nil {
		const at = virtual + "kubernetes.kubeAPIServer."
		note(server.AuditWebhook != nil, at+"auditWebhook")
		note(server.Authentication != nil, at+"authentication")
		note(server.Authorization != nil, at+"authorization")
		note(len(server.ResourcesToStoreInETCDEvents) > 0, at+"resourcesToStoreInETCDEvents")
		note(server.SNI != nil, at+"sni")
	}
	gardener := &cluster.Gardener
	if server := gardener.APIServer; server != nil {
		const at = virtual + "gardener.gardenerAPIServer."
		note(server.Logging != nil, at+"logging")
		note(server.GoAwayChance != nil, at+"goAwayChance")
		note(server.AuditWebhook != nil && server.AuditConfig == nil, at+"auditWebhook without auditConfig")
		for _, plugin := range server.AdmissionPlugins {
			note(plugin.KubeconfigSecretName != nil, at+"admissionPlugins["+plugin.Name+"].kubeconfigSecretName")
		}
	}
	if controller := gardener.AdmissionController; controller != nil && controller.ResourceAdmissionConfiguration != nil {
		for _, limit := range controller.ResourceAdmissionConfiguration.Limits {
			note(limit.Count != nil, virtual+"gardener.gardenerAdmissionController.resourceAdmissionConfiguration.limits[].count")
		}
	}
	note(gardener.Dashboard != nil, virtual+"gardener.gardenerDashboard")
	note(gardener.DiscoveryServer != nil, virtual+"gardener.gardenerDiscoveryServer")
	note(gardener.ResourceManager != nil, virtual+"gardener.gardenerResourceManager")
	return fields
}
