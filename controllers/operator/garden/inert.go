package garden

import (
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// inert returns the fields of a Garden that are set and change nothing. A host that does not say it runs one process with settings of its
// own.
func inert(h host.Host, garden *operatorv1alpha1.Garden) []string {
	if h.Inert != nil {
		return h.Inert(garden)
	}
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
		note(settings.LoadBalancerServices != nil, runtime+"settings.loadBalancerServices")
		note(settings.TopologyAwareRouting != nil, runtime+"settings.topologyAwareRouting")
		note(settings.PersistentVolumeClaimAutoscaler != nil, runtime+"settings.persistentVolumeClaimAutoscaler")
	}
	note(garden.Spec.RuntimeCluster.Volume != nil, runtime+"volume")
	cluster := &garden.Spec.VirtualCluster
	note(cluster.ControlPlane != nil && cluster.ControlPlane.HighAvailability != nil, virtual+"controlPlane.highAvailability")
	note(len(cluster.DNS.Domains) > 1 && h.ServeDomains == nil, virtual+"dns.domains after the first")
	note(len(cluster.Networking.Services) > 1, virtual+"networking.services after the first")
	if etcd := cluster.ETCD; etcd != nil && etcd.Main != nil {
		note(etcd.Main.Backup != nil, virtual+"etcd.main.backup")
		note(etcd.Main.Autoscaling != nil, virtual+"etcd.main.autoscaling")
	}
	note(cluster.Kubernetes.KubeAPIServer != nil, virtual+"kubernetes.kubeAPIServer")
	note(cluster.Kubernetes.KubeControllerManager != nil, virtual+"kubernetes.kubeControllerManager")
	gardener := &cluster.Gardener
	note(gardener.APIServer != nil, virtual+"gardener.gardenerAPIServer")
	note(gardener.AdmissionController != nil, virtual+"gardener.gardenerAdmissionController")
	note(gardener.ControllerManager != nil, virtual+"gardener.gardenerControllerManager")
	note(gardener.Scheduler != nil, virtual+"gardener.gardenerScheduler")
	note(gardener.Dashboard != nil, virtual+"gardener.gardenerDashboard")
	note(gardener.DiscoveryServer != nil, virtual+"gardener.gardenerDiscoveryServer")
	note(gardener.ResourceManager != nil, virtual+"gardener.gardenerResourceManager")
	return fields
}
