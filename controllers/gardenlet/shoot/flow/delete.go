package flow

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/extensions"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
)

// Delete is the page with the order of deletion. As long as the control plane can be started, its own controllers first
// empty the cluster. Workers, system components, extensions, infrastructure, the external name, API server, etcd, backups, the internal
// name and the namespace follow in this order. What users have in the garden is last.
func (p *Plan) Delete() (*graph.Graph, error) {
	var (
		workerless    = helper.IsWorkerless(p.operation.Shoot)
		noNamespace   = !p.facts.NamespaceActive
		noCleanup     = !p.facts.CleanupPossible(workerless)
		noProvider    = noCleanup || !p.facts.ControlPlaneUsable()
		noControllers = noCleanup || !p.facts.ControllersExist
		noOwner       = noCleanup || !p.operation.ChecksOwner()
	)
	cleaned := names(CleanWebhooks, CleanAPIs, CleanResources)
	emptied := append(names(OSConfigsDelete, WorkersGone, ManagedGone, NetworkDestroy, NetworkGone, EarlyExtensionsGone, AllStaleExtensionsGone), cleaned...)
	finished := names(APIServerGone, ControlPlaneGone, LateExtensionsGone, AllExtensionsGone, IngressDNSDestroy, ExternalDNSDestroy, InfrastructureGone)

	return build(Deletion, []row{
		step(Namespace, p.namespace.Deploy).unless(noNamespace),
		step(Identity, p.namespace.EnsureIdentity).after(Namespace),
		step(CloudProvider, p.namespace.DeployCloudProvider).after(Namespace).unless(workerless, noNamespace),
		step(Service, p.entry.DeployService).after(Namespace, Identity).unless(noCleanup),
		step(Route, p.entry.DeployRoute).after(Service).unless(noCleanup),
		wait(LoadBalancerReady, short, leaves(&p.clusterIP, p.entry.AwaitService)).after(Service).unless(noCleanup),
		step(Addresses, given(p.entry.EnsureAddresses, &p.clusterIP)).after(LoadBalancerReady).unless(noCleanup),
		step(Secrets, leaves(&p.made, p.credentials.Initialize)).after(Namespace).unless(noNamespace),
		step(Referenced, p.namespace.DeployReferenced).after(Namespace).unless(noNamespace),
		wait(InternalDNS, short, p.records.DeployInternal).after(Referenced, LoadBalancerReady).unless(noCleanup),
		wait(OwnerDNS, short, p.records.DeployOwner).after(Referenced).unless(noOwner),
		wait(EtcdPeersTrusted, long, given(p.etcd.TrustPeers, &p.made)).after(Secrets).unless(noCleanup, !p.renewsPeers()),
		step(Etcd, given(p.etcd.Deploy, &p.made)).after(Secrets, CloudProvider, OwnerDNS, EtcdPeersTrusted).unless(noCleanup),
		step(EtcdUp, p.etcd.ScaleUp).after(Etcd).unless(noCleanup),
		wait(EtcdReady, long, p.etcd.Await).after(EtcdUp).unless(noCleanup),
		step(ControlPlane, leavesGiven(&p.controlPlaneRequest, p.controlPlane.Deploy, p.found.ifMade())).after(Secrets, CloudProvider, Identity).unless(workerless, noProvider),
		wait(ControlPlaneReady, long, given(p.controlPlane.Await, &p.controlPlaneRequest)).after(ControlPlane).unless(workerless, noProvider),
		step(APIServer, given2(p.apiServer.Deploy, &p.made, &p.clusterIP)).after(Secrets, Etcd, EtcdReady, LoadBalancerReady, ControlPlaneReady).unless(noCleanup),
		step(APIServerUp, p.apiServer.ScaleUp).after(APIServer).unless(noCleanup, p.facts.APIServerRuns),
		wait(APIServerReportsReady, long, p.apiServer.Await).after(APIServer, APIServerUp).unless(noCleanup),
		step(Published, given(p.publish, &p.made)).after(APIServerReportsReady).unless(noCleanup),
		step(ResourceManager, given(p.resourceManager.Deploy, &p.made)).after(APIServerReportsReady).unless(noCleanup),
		wait(ResourceManagerUp, long, p.resourceManager.Await).after(ResourceManager).unless(noCleanup),
		step(Access, p.components.DeployAccess).after(Secrets, ResourceManagerUp).unless(noCleanup),
		wait(Connection, long, leaves(&p.shoot, p.connector.Connect)).after(CloudProvider, APIServerReportsReady, Published, InternalDNS, Access).unless(noCleanup),
		step(Controllers, given(p.controllers.Deploy, &p.made)).after(Secrets, CloudProvider, ControlPlaneReady, Connection).unless(noControllers),
		step(ControllersUp, p.controllers.ScaleUp).after(Controllers).unless(noControllers),

		step(AutoscalerDelete, p.autoscaler.Delete).after(Connection).unless(workerless),
		step(PodAutoscalingDelete, p.podAutoscaling.Delete).after(Connection, ResourceManagerUp).unless(workerless),
		step(MonitoringDelete, p.monitoring.Delete).after(Connection),
		step(AddonsDelete, p.deleteAddons).after(Connection, ResourceManagerUp).unless(workerless, noCleanup),
		wait(CleanWebhooks, long, given(p.cleanup.Webhooks, &p.shoot)).after(Connection, ResourceManager, AutoscalerDelete, PodAutoscalingDelete, MonitoringDelete, AddonsDelete).unless(noCleanup),
		wait(ControllersActive, long, p.controllers.Await).after(Connection, CleanWebhooks, ControlPlane, ControllersUp).unless(noControllers),
		wait(CleanAPIs, long, given(p.cleanup.ExtendedAPIs, &p.shoot)).after(Connection, CleanWebhooks, ControllersActive).unless(noCleanup),
		wait(CleanResources, long, given(p.cleanup.Resources, &p.shoot)).after(Connection, CleanAPIs, ControlPlane, Controllers, ControllersActive).unless(noCleanup),
		step(NetworkDestroy, p.network.Destroy).after(cleaned...).unless(workerless),
		wait(NetworkGone, long, p.network.AwaitGone).after(NetworkDestroy).unless(workerless),
		step(MachineManager, given(p.machineManager.Deploy, &p.made)).after(Secrets).after(cleaned...).unless(workerless, noNamespace, noCleanup),
		step(WorkersDestroy, p.workers.Destroy).after(MachineManager).unless(workerless),
		wait(WorkersGone, long, p.workers.AwaitGone).after(WorkersDestroy).unless(workerless),
		step(MachineManagerDelete, p.machineManager.Delete).after(WorkersGone).unless(workerless),
		step(OSConfigsDelete, p.operatingSystems.DeleteAll).after(WorkersGone).unless(workerless),
		wait(OSConfigsGone, long, p.operatingSystems.AwaitAllGone).after(OSConfigsDelete).unless(workerless),
		step(ManagedDelete, p.managed.DeleteAll).after(cleaned...).after(WorkersGone).unless(noCleanup),
		wait(ManagedGone, long, p.managed.AwaitGone).after(ManagedDelete).unless(noCleanup),
		step(EarlyExtensionsDelete, p.extensions.Delete(extensions.DeletedAfterAPIServer)).after(CleanResources, ManagedGone),
		wait(EarlyExtensionsGone, long, p.extensions.AwaitGone(extensions.DeletedAfterAPIServer)).after(EarlyExtensionsDelete),
		step(StaleExtensions, p.extensions.Delete(extensions.Every)).after(CleanResources, ManagedGone),
		wait(AllStaleExtensionsGone, long, p.extensions.AwaitGone(extensions.Every)).after(StaleExtensions, EarlyExtensionsGone),
		step(RuntimesDelete, p.runtimes.DeleteStale).after(cleaned...).after(Connection).unless(workerless),
		wait(StaleRuntimesGone, long, p.runtimes.AwaitStaleGone).after(RuntimesDelete).unless(workerless),

		step(ControlPlaneDestroy, p.controlPlane.Destroy).after(emptied...).unless(workerless),
		wait(ControlPlaneGone, long, p.controlPlane.AwaitGone).after(ControlPlaneDestroy).unless(workerless),
		wait(ShootManagedGone, long, p.managed.AwaitAllGone).after(ControlPlaneGone).unless(noCleanup),
		wait(IngressDNSDestroy, short, p.ingress.DestroyDNS).after(emptied...).unless(workerless, noNamespace),
		step(InfrastructureDestroy, p.infrastructure.Destroy).after(emptied...).after(ControlPlaneGone).unless(workerless),
		wait(InfrastructureGone, long, p.infrastructure.AwaitGone).after(InfrastructureDestroy).unless(workerless),
		wait(ExternalDNSDestroy, short, p.records.DestroyExternal).after(emptied...).after(InfrastructureGone).unless(noNamespace),
		step(APIServerDelete, p.deleteServers).after(emptied...).after(ControlPlaneGone, ShootManagedGone, InfrastructureGone, ExternalDNSDestroy),
		wait(APIServerGone, long, p.apiServer.AwaitGone).after(APIServerDelete),
		step(LateExtensionsDelete, p.extensions.Delete(extensions.None)).after(APIServerGone),
		wait(LateExtensionsGone, long, p.extensions.AwaitGone(extensions.None)).after(LateExtensionsDelete),
		wait(AllExtensionsGone, long, p.extensions.AwaitGone(extensions.None)).after(APIServerGone, LateExtensionsDelete),
		step(RouteDestroy, p.entry.DestroyRoute).after(APIServerGone),
		step(ServiceDestroy, p.entry.DestroyService).after(APIServerGone, RouteDestroy),
		step(ResourceManagerGone, p.resourceManager.Destroy).after(APIServerGone),
		step(ReferencedDelete, p.namespace.DeleteReferenced).after(finished...).unless(noNamespace),
		step(EtcdDestroy, p.etcd.Destroy).after(finished...),
		wait(EtcdGone, long, p.etcd.AwaitGone).after(finished...).after(EtcdDestroy),
		step(BackupEntryDelete, p.backup.Delete).after(EtcdGone),
		wait(OwnerDNSDestroy, short, p.records.DestroyOwner).after(finished...).after(EtcdGone).unless(noNamespace),
		wait(InternalDNSDestroy, short, p.records.DestroyInternal).after(finished...).after(BackupEntryDelete).unless(noNamespace),
		step(NamespaceDelete, p.namespace.Delete).after(finished...).after(InternalDNSDestroy, OwnerDNSDestroy, ReferencedDelete, EtcdGone, ServiceDestroy, ResourceManagerGone),
		wait(NamespaceGone, long, p.namespace.AwaitGone).after(NamespaceDelete),
		step(ShootStateDelete, p.project.DeleteAll).after(NamespaceGone),
	})
}

// deleteAddons deletes the ManagedResources of add-ons. It does not wait: a webhook of a user may hold them up until it is removed.
// System components stay until the nodes are gone.
func (p *Plan) deleteAddons(ctx context.Context) error {
	return errors.Join(p.dashboard.Delete(ctx), p.ingress.Delete(ctx))
}
