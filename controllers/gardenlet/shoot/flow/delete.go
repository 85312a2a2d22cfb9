package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/extensions"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Delete is the page with the order of deletion. As long as the control plane can be started, its own controllers first
// empty the cluster. Workers, extensions, API server, infrastructure, etcd and the namespace follow in this order.
func (p *Plan) Delete() (*graph.Graph, error) {
	var (
		workerless    = helper.IsWorkerless(p.operation.Shoot)
		noNamespace   = !p.facts.NamespaceActive
		noCleanup     = !p.facts.CleanupPossible(workerless)
		noProvider    = noCleanup || !p.facts.ControlPlaneUsable()
		noControllers = noCleanup || !p.facts.ControllersExist
		skipCleanup   = p.operation.Shoot.Annotations[constants.ShootSkipCleanup] == "true"
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
		step(Addresses, p.entry.EnsureAddresses).after(LoadBalancerReady).unless(noCleanup),
		step(Secrets, leaves(&p.made, p.credentials.Initialize)).after(Namespace).unless(noNamespace),
		step(Referenced, p.namespace.DeployReferenced).after(Namespace).unless(noNamespace),
		wait(InternalDNS, short, p.records.DeployInternal).after(Referenced, LoadBalancerReady).unless(noCleanup),
		step(Etcd, given(p.etcd.Deploy, &p.made)).after(Secrets, CloudProvider).unless(noCleanup),
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
		wait(CleanWebhooks, long, given(p.cleanup.Webhooks, &p.shoot)).after(Connection, ResourceManager).unless(noCleanup),
		wait(ControllersActive, long, p.controllers.Await).after(Connection, CleanWebhooks, ControlPlane, ControllersUp).unless(noControllers),
		wait(CleanAPIs, long, given(p.cleanup.ExtendedAPIs, &p.shoot)).after(Connection, AutoscalerDelete, PodAutoscalingDelete, ControllersActive).unless(noCleanup, skipCleanup),
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
		step(APIServerDelete, p.deleteServers).after(emptied...).after(ControlPlaneGone, ShootManagedGone),
		wait(APIServerGone, long, p.apiServer.AwaitGone).after(APIServerDelete),
		step(LateExtensionsDelete, p.extensions.Delete(extensions.None)).after(APIServerGone),
		wait(LateExtensionsGone, long, p.extensions.AwaitGone(extensions.None)).after(LateExtensionsDelete),
		wait(AllExtensionsGone, long, p.extensions.AwaitGone(extensions.None)).after(APIServerGone, LateExtensionsDelete),
		step(RouteDestroy, p.entry.DestroyRoute).after(APIServerGone),
		step(ServiceDestroy, p.entry.DestroyService).after(APIServerGone, RouteDestroy),
		step(ResourceManagerGone, p.resourceManager.Destroy).after(APIServerGone),
		wait(IngressDNSDestroy, short, p.ingress.DestroyDNS).after(emptied...).unless(workerless, noNamespace),
		step(InfrastructureDestroy, p.infrastructure.Destroy).after(emptied...).after(ControlPlaneGone).unless(workerless),
		wait(InfrastructureGone, long, p.infrastructure.AwaitGone).after(InfrastructureDestroy).unless(workerless),
		wait(ExternalDNSDestroy, short, p.records.DestroyExternal).after(emptied...).after(APIServerGone).unless(noNamespace),
		wait(InternalDNSDestroy, short, p.records.DestroyInternal).after(finished...).unless(noNamespace),
		step(ReferencedDelete, p.namespace.DeleteReferenced).after(finished...).unless(noNamespace),
		step(EtcdDestroy, p.etcd.Destroy).after(finished...),
		wait(EtcdGone, long, p.etcd.AwaitGone).after(finished...).after(EtcdDestroy),
		step(NamespaceDelete, p.namespace.Delete).after(finished...).after(InternalDNSDestroy, ReferencedDelete, EtcdGone, ServiceDestroy, ResourceManagerGone),
		wait(NamespaceGone, long, p.namespace.AwaitGone).after(NamespaceDelete),
		step(ShootStateDelete, p.project.DeleteAll).after(NamespaceDelete),
	})
}

// deleteServers deletes the API server and the components that need it.
func (p *Plan) deleteServers(ctx context.Context) error {
	for _, deletion := range []func(context.Context) error{p.controllers.Delete, p.scheduler.Delete, p.oidcWebhook.Delete, p.apiServer.Delete} {
		if err := deletion(ctx); err != nil {
			return err
		}
	}
	return nil
}
