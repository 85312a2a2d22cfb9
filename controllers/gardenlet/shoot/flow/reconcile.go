package flow

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/addons"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/encryption"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/extensions"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/system"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Reconcile is the page with the order of creation and of every later reconciliation. Steps do not wait for each other where waiting
// has no benefit: machine-controller-manager, for example, starts while the network is being set up.
//
// A row has the name of a step, its work, the steps it comes after, and the conditions under which it is skipped. A step gets the
// results of earlier steps through the function given. A flow that passes a result too early cannot be built.
func (p *Plan) Reconcile() (*graph.Graph, error) {
	var (
		shoot               = p.operation.Shoot
		workerless          = helper.IsWorkerless(shoot)
		hibernated          = helper.HibernationIsEnabled(shoot)
		controlPlaneStopped = !p.facts.ControlPlaneRuns(shoot)
		skipReadiness       = shoot.Annotations[constants.ShootSkipReadiness] == "true" && !rotation.Unfinished(&shoot.Status) // which needs every server
		noBackup            = p.operation.Seed.Spec.Backup == nil
		noTunnel            = !p.tunnel.Exposure.Tunnelled()
		kubeProxy           = operation.KubeProxy(shoot)
		noIngress           = !addons.Enabled(shoot)
		noOwner             = !p.operation.ChecksOwner()
		noSystemNodes       = !system.HasNodes(shoot)
		restores            = p.restored != nil
		noCopy              = !restores || noBackup
		noRestart           = !operation.Ordered(shoot, constants.ShootTaskRestartControlPlanePods)
	)
	phases := credentials.PhasesOf(shoot)
	newKey := credentials.Preparing(phases.EncryptionKey) || phases.EncryptionKey == gardencorev1beta1.RotationCompleting
	newKeys := newKey || credentials.Preparing(phases.ServiceAccountKey)
	rewrites := newKey || len(encryption.Changed(shoot)) > 0
	workersAfter := names(MachineManager, OSConfigsReady, NetworkReady)
	if credentials.Preparing(phases.CA) {
		workersAfter = append(workersAfter, ControllersReady) // it signs the certificates of new nodes, by the new CA
	}
	if credentials.Preparing(phases.ServiceAccountKey) {
		workersAfter = append(workersAfter, TokensRenewed) // a new node takes the token that it finds, and has it until the key is gone
	}
	deployBefore, awaitBefore := p.extensions.Deploy(extensions.BeforeAPIServer), p.extensions.Await(extensions.BeforeAPIServer)
	deployAfter, awaitAfter := p.extensions.Deploy(extensions.AfterAPIServer), p.extensions.Await(extensions.AfterAPIServer)
	deployLast, awaitLast := p.extensions.Deploy(extensions.AfterWorkers), p.extensions.Await(extensions.AfterWorkers)
	machineManagerAfter := names(CloudProvider, Referenced, InfrastructureReady, Connection)
	if hibernated {
		machineManagerAfter = append(machineManagerAfter, AutoscalerStopped) // otherwise it would add the deleted machines again
	}
	tunnelUsers := names(SystemResources, CoreDNS, NodeLocalDNS, KubeProxy, VPNShoot, APIServerProxy)
	managed := names(
		Namespaces, Access, OIDCWebhook, ShootIdentity, SystemResources, CoreDNS, NodeLocalDNS, Dashboard, Ingress, MetricsServer,
		VerticalAutoscaler, KubeProxy, NodeAgent, MachineManager, Autoscaler, Monitoring)
	name := Reconciliation
	if restores {
		name = Restoration
	}
	return build(name, []row{
		step(Namespace, p.namespace.Deploy),
		step(Identity, p.namespace.EnsureIdentity).after(Namespace),
		step(CloudProvider, p.namespace.DeployCloudProvider).after(Namespace).unless(workerless),
		step(Service, p.entry.DeployService).after(Namespace, Identity),
		step(Route, p.entry.DeployRoute).after(Service),
		wait(ServiceReady, short, leaves(&p.clusterIP, p.entry.AwaitService)).after(Service),
		step(Addresses, given(p.entry.EnsureAddresses, &p.clusterIP)).after(ServiceReady),
		step(SecretsRestored, p.credentials.Restore(p.restored)).after(Namespace).unless(!restores),
		step(Secrets, leaves(&p.made, p.credentials.Initialize)).after(Namespace, SecretsRestored),
		step(Referenced, p.namespace.DeployReferenced).after(Namespace),
		wait(InternalDNS, short, p.records.DeployInternal).after(Referenced, ServiceReady).unless(hibernated),
		wait(ExternalDNS, short, p.records.DeployExternal).after(Referenced, ServiceReady).unless(hibernated),
		wait(EtcdLeftGone, long, p.left.Remove).after(Namespace).unless(noCopy),
		wait(OwnerDNS, short, p.records.DeployOwner).after(Referenced, EtcdLeftGone).unless(noOwner),

		step(Infrastructure, leavesGiven(&p.infrastructureRequest, p.infrastructure.Deploy, &p.made)).after(Secrets, CloudProvider, Referenced).unless(workerless),
		wait(InfrastructureReady, long, leavesGiven(&p.found, p.infrastructure.Await, &p.infrastructureRequest)).after(Infrastructure).unless(workerless),
		step(SourceEntry, p.source.Deploy).after(Namespace).unless(noCopy),
		wait(SourceEntryReady, short, p.source.Await).after(SourceEntry).unless(noCopy),
		step(SourceKeysKept, p.source.KeepKeys).after(SourceEntryReady).unless(noCopy),
		step(BackupEntryTaken, p.backup.TakeOver).after(SourceEntryReady).unless(noCopy),
		step(BackupEntry, p.backup.Deploy).after(Namespace, EtcdLeftGone, SourceEntryReady, BackupEntryTaken).unless(noBackup),
		wait(BackupEntryReady, short, p.backup.Await).after(BackupEntry).unless(noBackup, skipReadiness),
		step(BackupsCopied, p.source.Copy).after(Secrets, CloudProvider, EtcdLeftGone, SourceEntryReady, BackupEntryReady, OwnerDNS).unless(noCopy),
		wait(BackupsAreCopied, long, p.source.AwaitCopy).after(BackupsCopied).unless(noCopy),
		step(CopyDestroy, p.source.DestroyCopy).after(BackupsAreCopied).unless(noCopy),
		wait(Released, long, given(p.encrypted.Release, &p.made)).retried().after(Secrets).unless(controlPlaneStopped, phases.EncryptionKey != gardencorev1beta1.RotationCompleting),
		wait(EtcdPeersTrusted, long, given(p.etcd.TrustPeers, &p.made)).after(Secrets, EtcdLeftGone).unless(hibernated, controlPlaneStopped, !p.renewsPeers()),
		step(Etcd, given(p.etcd.Deploy, &p.made)).after(Secrets, CloudProvider, BackupEntryReady, BackupsAreCopied, SourceKeysKept, Released, OwnerDNS, EtcdPeersTrusted),
		wait(EtcdReady, long, p.etcd.Await).after(Etcd).unless(hibernated, skipReadiness),
		wait(OwnerDNSDestroy, short, p.records.DestroyOwner).after(EtcdReady).unless(!noOwner),
		wait(EtcdJoined, long, p.etcd.Join).after(EtcdReady).unless(!restores, hibernated, !p.space.Availability.Tolerant()),
		step(SourceEntryDestroy, p.source.Destroy).after(EtcdReady, CopyDestroy).unless(noCopy),
		wait(SourceKeysDropped, short, p.etcd.DropSourceKeys).after(EtcdReady).unless(hibernated, noBackup),
		step(ExtensionsBefore, leaves(&p.extensionsBefore, deployBefore)).after(Secrets, CloudProvider, Referenced, InfrastructureReady).unless(hibernated),
		wait(ExtensionsBeforeReady, long, given(awaitBefore, &p.extensionsBefore)).after(ExtensionsBefore).unless(hibernated, skipReadiness),

		step(APIServer, given2(p.apiServer.Deploy, &p.made, &p.clusterIP)).after(Secrets, Etcd, EtcdReady, ServiceReady, ExtensionsBeforeReady, InfrastructureReady),
		wait(APIServerReady, long, p.apiServer.Await).after(APIServer).unless(hibernated, skipReadiness),
		step(Published, given(p.publish, &p.made)).after(APIServerReady),
		wait(NewKeys, long, given2(p.apiServer.UseNewKeys, &p.made, &p.clusterIP)).after(APIServerReady).unless(controlPlaneStopped, !newKeys),
		step(ShootState, given(p.saveState, &p.made)).after(APIServer),
		step(ResourceManager, given(p.resourceManager.Deploy, &p.made)).after(APIServerReady),
		wait(ResourceManagerUp, long, p.resourceManager.Await).after(ResourceManager).unless(hibernated, skipReadiness),
		step(ControlPlane, leavesGiven(&p.controlPlaneRequest, p.controlPlane.Deploy, &p.found)).after(APIServerReady, ResourceManagerUp).unless(workerless),
		wait(ControlPlaneReady, long, given(p.controlPlane.Await, &p.controlPlaneRequest)).after(ControlPlane).unless(workerless, skipReadiness),
		step(Namespaces, p.components.DeployNamespaces).after(ResourceManager),
		wait(NamespacesReady, short, p.components.AwaitNamespaces).after(ResourceManagerUp, Namespaces).unless(hibernated, skipReadiness),
		step(Access, p.components.DeployAccess).after(Secrets, ResourceManagerUp),
		step(OIDCWebhook, given(p.oidcWebhook.Reconcile, &p.made)).after(Secrets, ResourceManagerUp, ExtensionsBeforeReady).unless(hibernated),
		wait(Connection, long, leaves(&p.shoot, p.connector.Connect)).after(APIServerReady, Published, InternalDNS, Access).unless(controlPlaneStopped),
		wait(Rewritten, long, given2(p.encrypted.Rewrite, &p.made, &p.shoot)).retried().after(Connection, NewKeys).unless(controlPlaneStopped, !rewrites),
		wait(TokensRenewed, long, given(p.credentials.RenewTokens, &p.made)).after(ResourceManagerUp, Access, NewKeys).unless(controlPlaneStopped, !credentials.Preparing(phases.ServiceAccountKey)),
		step(TrustWithdrawn, given2(p.components.WithdrawTrust, &p.made, &p.shoot)).after(Connection, NewKeys).unless(controlPlaneStopped, phases.CA != gardencorev1beta1.RotationCompleting),
		step(Scheduler, given(p.scheduler.Deploy, &p.made)).after(Secrets, APIServerReady).unless(workerless),
		step(Controllers, given(p.controllers.Deploy, &p.made)).after(Secrets, CloudProvider, APIServerReady),
		wait(ControllersReady, long, p.controllers.Await).after(Controllers).unless(controlPlaneStopped, skipReadiness),

		step(ExtensionsAfter, leaves(&p.extensionsAfter, deployAfter)).after(Referenced, Connection),
		wait(ExtensionsAfterReady, long, given(awaitAfter, &p.extensionsAfter)).after(ExtensionsAfter).unless(skipReadiness),
		step(StaleExtensions, p.extensions.Delete(extensions.Every)).after(Connection),
		wait(StaleExtensionsGone, long, p.extensions.AwaitGone(extensions.Every)).after(StaleExtensions).unless(hibernated, skipReadiness),
		step(Runtimes, leaves(&p.runtimeRequests, p.runtimes.Deploy)).after(Referenced, Connection).unless(workerless),
		wait(RuntimesReady, long, given(p.runtimes.Await, &p.runtimeRequests)).after(Runtimes).unless(workerless, skipReadiness),
		step(StaleRuntimes, p.runtimes.DeleteStale).after(Connection).unless(workerless),
		wait(StaleRuntimesGone, long, p.runtimes.AwaitStaleGone).after(StaleRuntimes).unless(workerless, hibernated, skipReadiness),

		step(OSConfigs, leavesGiven2(&p.osRequests, p.operatingSystems.Deploy, &p.made, p.shoot.ifMade())).after(Referenced, InfrastructureReady, ControlPlaneReady, ExtensionsAfterReady, Connection).unless(workerless),
		wait(OSConfigsReady, long, leavesGiven(&p.userData, p.operatingSystems.Await, &p.osRequests)).after(OSConfigs).unless(workerless),
		step(StaleOSConfigs, p.operatingSystems.DeleteStale).after(OSConfigs, WorkersReady).unless(workerless),
		wait(StaleOSConfigsGone, long, p.operatingSystems.AwaitStaleGone).after(StaleOSConfigs).unless(workerless, hibernated, skipReadiness),
		step(Network, leaves(&p.networkRequest, p.network.Deploy)).after(Referenced, ResourceManagerUp, OSConfigsReady, Scheduler, NamespacesReady).unless(workerless),
		wait(NetworkReady, long, given(p.network.Await, &p.networkRequest)).after(Network).unless(workerless, skipReadiness),
		step(ShootIdentity, p.components.DeployIdentity).after(ResourceManager, Identity, OSConfigsReady).unless(hibernated),
		step(SystemResources, given(p.components.DeploySystem, p.found.ifMade())).after(ResourceManagerUp, OSConfigsReady, NamespacesReady, InfrastructureReady).unless(hibernated),
		step(CoreDNS, given(p.dns.Deploy, &p.shoot)).after(ResourceManagerUp, Connection, OSConfigsReady, Scheduler, NamespacesReady).unless(workerless, hibernated),
		step(NodeLocalDNS, p.nodeLocalDNS.Reconcile).after(ResourceManager, Connection, OSConfigsReady, Scheduler, NamespacesReady, NetworkReady).unless(workerless, hibernated),
		step(Dashboard, p.dashboard.Deploy).after(ResourceManagerUp, Connection, Identity, Scheduler, NamespacesReady).unless(workerless, hibernated),
		step(Ingress, p.ingress.Deploy).after(ResourceManagerUp, Connection, Identity, Scheduler, NamespacesReady).unless(workerless, hibernated),
		step(MetricsServer, given(p.podAutoscaling.ReconcileMetricsServer, &p.made)).after(ResourceManager, Connection, OSConfigsReady, Scheduler, NamespacesReady).unless(workerless, hibernated),
		step(VerticalAutoscaler, given(p.podAutoscaling.ReconcileVertical, &p.made)).after(ResourceManager, Connection, MetricsServer).unless(workerless, hibernated),
		step(KubeProxy, given2(p.kubeProxy.Deploy, &p.made, &p.shoot)).after(ResourceManager, Connection, Identity, Scheduler, NamespacesReady).unless(workerless, hibernated, !kubeProxy),
		step(KubeProxyGone, p.kubeProxy.Delete).after(ResourceManager, Connection, Identity, Scheduler).unless(workerless, hibernated, kubeProxy),
		step(VPNServer, given(p.tunnel.DeployServer, &p.made)).after(Secrets, Namespace, APIServerReady).unless(workerless, noTunnel),
		step(VPNShoot, given(p.tunnel.DeployClient, &p.made)).after(ResourceManager, NamespacesReady, VPNServer).unless(workerless, hibernated, noTunnel),
		step(APIServerProxy, given(p.tunnel.DeployAPIServerProxy, &p.clusterIP)).after(ResourceManager, NamespacesReady, ServiceReady).unless(workerless, hibernated, noTunnel),
		step(NodeAgent, p.nodeAgents.Deploy).after(ResourceManager, Identity, OSConfigsReady).unless(workerless, hibernated),

		step(AutoscalerStopped, p.autoscaler.Stop).after(NodeAgent).unless(workerless, !hibernated),
		step(MachineManager, given(p.machineManager.Deploy, &p.made)).after(machineManagerAfter...).unless(workerless),
		step(Workers, leavesGiven3(&p.workerRequest, p.workers.Deploy, &p.made, &p.found, &p.userData)).after(workersAfter...).unless(workerless),
		wait(MachineDeployments, long, given(p.workers.AwaitMachineDeployments, &p.workerRequest)).after(Workers).unless(workerless, hibernated),
		step(Autoscaler, given(p.autoscaler.Deploy, &p.made)).after(MachineDeployments, NodeAgent).unless(workerless, hibernated),
		wait(WorkersReady, long, given(p.workers.Await, &p.workerRequest)).after(Workers, MachineDeployments, NodeAgent).unless(workerless, skipReadiness),
		wait(NodesConfigured, short, given(p.nodeAgents.Await, &p.shoot)).after(Connection, NodeAgent, WorkersReady, ManagedApplied).unless(workerless, hibernated, skipReadiness),
		step(ExtensionsLast, leaves(&p.extensionsLast, deployLast)).after(Referenced, Connection, WorkersReady),
		wait(ExtensionsLastReady, long, given(awaitLast, &p.extensionsLast)).after(ExtensionsLast).unless(skipReadiness),
		wait(Monitoring, short, given(p.monitoring.Reconcile, &p.made)).after(ResourceManagerUp, Controllers, Scheduler).unless(hibernated),
		step(MonitoringStopped, p.monitoring.Stop).after(Namespace).unless(!hibernated),
		wait(MachineManagerStopped, long, p.machineManager.ScaleDown).after(WorkersReady).unless(workerless, !hibernated, controlPlaneStopped),
		wait(IngressReady, short, given(p.ingress.Await, &p.shoot)).after(Ingress, Connection, WorkersReady, Identity).unless(workerless, hibernated, skipReadiness, noIngress),
		wait(IngressDNS, short, given(p.ingress.DeployDNS, &p.shoot)).after(IngressReady).unless(workerless, hibernated),
		wait(TunnelReady, short, given(p.tunnel.Await, &p.shoot)).after(Connection, NetworkReady, WorkersReady, ControllersReady).after(tunnelUsers...).unless(workerless, hibernated, skipReadiness),
		wait(CoreDNSReady, long, p.dns.Await).after(CoreDNS, WorkersReady).unless(workerless, hibernated, skipReadiness, noSystemNodes),
		wait(ManagedApplied, short, p.managed.AwaitApplied).after(managed...).unless(hibernated),

		step(RestartPods, p.space.RestartPods).after(Controllers, ControlPlane).unless(hibernated, noRestart),

		wait(Hibernate, long, p.hibernation.Stop).after(Connection, WorkersReady, MachineManagerStopped, MonitoringStopped, ExtensionsAfterReady, ExtensionsLastReady).unless(!hibernated),
		wait(IngressDNSWithdrawn, short, p.ingress.DestroyDNS).after(Hibernate).unless(!hibernated),
		wait(ExternalDNSWithdrawn, short, p.records.DestroyExternal).after(Hibernate).unless(!hibernated),
		wait(InternalDNSWithdrawn, short, p.records.DestroyInternal).after(Hibernate).unless(!hibernated),
	})
}
