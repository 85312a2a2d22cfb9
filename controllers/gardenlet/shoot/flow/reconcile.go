package flow

import (
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Reconcile is the page with the order of creation and of every later reconciliation. Where the order is looser than what
// one would expect, nothing is gained by waiting: machine-controller-manager, for example, starts while the network is
// being set up.
func (p *Plan) Reconcile() (*graph.Graph, error) {
	var (
		workerless = p.Workerless()
		sleeping   = p.Hibernated()
		unready    = p.skipReadiness()
		asleep     = !p.awake() // sleeps already, so nothing of it answers
		noBackup   = !p.BackupEnabled()
		direct     = !p.Tunnel // the seed's pods reach the shoot's nodes as they are
	)
	machinesAfter := after(stepCloudProvider, stepReferenced, stepInfrastructureReady, stepConnection)
	if sleeping {
		machinesAfter = append(machinesAfter, stepAutoscalerDown) // or else it brings back the machines that go
	}
	return build(Reconciliation, []graph.Step{
		deploy(stepNamespace, p.deployNamespace, nil),
		deploy(stepIdentity, p.ensureIdentity, after(stepNamespace)),
		unless(deploy(stepCloudProvider, p.deployCloudProvider, after(stepNamespace)), workerless),
		deploy(stepService, p.deployService, after(stepNamespace, stepIdentity)),
		deploy(stepRoute, p.deployRoute, after(stepService)),
		wait(stepServiceReady, shortWait, p.awaitService, after(stepService)),
		deploy(stepAddresses, p.ensureAddresses, after(stepServiceReady)),
		deploy(stepSecrets, p.initializeSecrets, after(stepNamespace)),
		deploy(stepReferenced, p.deployReferenced, after(stepNamespace)),
		unless(wait(stepInternalDNS, shortWait, p.deployInternalDNS, after(stepReferenced, stepServiceReady)), sleeping),
		unless(wait(stepExternalDNS, shortWait, p.deployExternalDNS, after(stepReferenced, stepServiceReady)), sleeping),

		unless(deploy(stepInfrastructure, p.deployInfrastructure, after(stepSecrets, stepCloudProvider, stepReferenced)), workerless),
		unless(wait(stepInfrastructureReady, longWait, p.awaitInfrastructure, after(stepInfrastructure)), workerless),
		unless(deploy(stepBackupEntry, p.deployBackupEntry, after(stepNamespace)), noBackup),
		unless(wait(stepBackupEntryReady, shortWait, p.awaitBackupEntry, after(stepBackupEntry)), noBackup, unready),
		deploy(stepEtcd, p.deployEtcd, after(stepSecrets, stepCloudProvider, stepBackupEntryReady)),
		unless(wait(stepEtcdReady, longWait, p.awaitEtcd, after(stepEtcd)), sleeping, unready),
		unless(deploy(stepExtensionsBefore, p.deployExtensions(before), after(stepSecrets, stepCloudProvider, stepReferenced, stepInfrastructureReady)), sleeping),
		unless(wait(stepExtBeforeReady, longWait, p.awaitExtensions(before), after(stepExtensionsBefore)), sleeping, unready),

		deploy(stepAPIServer, p.deployAPIServer, after(stepSecrets, stepEtcd, stepEtcdReady, stepServiceReady, stepExtBeforeReady, stepInfrastructureReady)),
		unless(wait(stepAPIServerReady, longWait, p.awaitAPIServer, after(stepAPIServer)), sleeping, unready),
		deploy(stepShootState, p.ensureShootState, after(stepAPIServer)),
		deploy(stepResourceManager, p.deployResourceManager, after(stepAPIServerReady)),
		unless(wait(stepResourceManagerUp, longWait, p.awaitResourceManager, after(stepResourceManager)), sleeping, unready),
		unless(deploy(stepControlPlane, p.deployControlPlane, after(stepAPIServerReady, stepResourceManagerUp)), workerless),
		unless(wait(stepControlPlaneReady, longWait, p.awaitControlPlane, after(stepControlPlane)), workerless, unready),
		deploy(stepNamespaces, p.deployNamespaces, after(stepResourceManager)),
		unless(wait(stepNamespacesReady, shortWait, p.awaitNamespaces, after(stepResourceManagerUp, stepNamespaces)), sleeping, unready),
		deploy(stepAccess, p.deployAccess, after(stepSecrets, stepResourceManagerUp)),
		unless(wait(stepConnection, longWait, p.connect, after(stepAPIServerReady, stepInternalDNS, stepAccess)), asleep),
		unless(deploy(stepScheduler, p.deployScheduler, after(stepSecrets, stepAPIServerReady)), workerless),
		deploy(stepControllers, p.deployControllers, after(stepSecrets, stepCloudProvider, stepAPIServerReady)),
		unless(wait(stepControllersReady, longWait, p.awaitControllers, after(stepControllers)), asleep, unready),

		deploy(stepExtensionsAfter, p.deployExtensions(later), after(stepReferenced, stepConnection)),
		unless(wait(stepExtAfterReady, longWait, p.awaitExtensions(later), after(stepExtensionsAfter)), unready),
		deploy(stepExtStale, p.deleteExtensions(every), after(stepConnection)),
		unless(wait(stepExtStaleGone, longWait, p.awaitExtensionsGone(every), after(stepExtStale)), sleeping, unready),
		unless(deploy(stepRuntimes, p.deployRuntimes, after(stepReferenced, stepConnection)), workerless),
		unless(wait(stepRuntimesReady, longWait, p.awaitRuntimes, after(stepRuntimes)), workerless, unready),
		unless(deploy(stepRuntimesStale, p.deleteStaleRuntimes, after(stepConnection)), workerless),
		unless(wait(stepRuntimesStaleGone, longWait, p.awaitStaleRuntimesGone, after(stepRuntimesStale)), workerless, sleeping, unready),

		unless(deploy(stepOSC, p.deployOSC, after(stepReferenced, stepInfrastructureReady, stepControlPlaneReady, stepExtAfterReady, stepConnection)), workerless),
		unless(wait(stepOSCReady, longWait, p.awaitOSC, after(stepOSC)), workerless),
		unless(deploy(stepOSCStale, p.deleteStaleOSC, after(stepOSC, stepWorkerReady)), workerless),
		unless(wait(stepOSCStaleGone, longWait, p.awaitStaleOSCGone, after(stepOSCStale)), workerless, sleeping, unready),
		unless(deploy(stepNetwork, p.deployNetwork, after(stepReferenced, stepResourceManagerUp, stepOSCReady, stepScheduler, stepNamespacesReady)), workerless),
		unless(wait(stepNetworkReady, longWait, p.awaitNetwork, after(stepNetwork)), workerless, unready),
		unless(deploy(stepShootIdentity, p.deployIdentity, after(stepResourceManager, stepIdentity, stepOSCReady)), sleeping),
		unless(deploy(stepSystem, p.deploySystem, after(stepResourceManagerUp, stepOSCReady, stepNamespacesReady, stepInfrastructureReady)), sleeping),
		unless(deploy(stepCoreDNS, p.deployCoreDNS, after(stepResourceManagerUp, stepConnection, stepOSCReady, stepScheduler, stepNamespacesReady)), workerless, sleeping),
		unless(deploy(stepNodeLocalDNS, p.reconcileNodeLocalDNS, after(stepResourceManager, stepConnection, stepOSCReady, stepScheduler, stepNamespacesReady, stepNetworkReady)), workerless, sleeping),
		unless(deploy(stepDashboard, p.deployDashboard, after(stepResourceManagerUp, stepConnection, stepIdentity, stepScheduler, stepNamespacesReady)), workerless, sleeping),
		unless(deploy(stepIngress, p.deployIngress, after(stepResourceManagerUp, stepConnection, stepIdentity, stepScheduler, stepNamespacesReady)), workerless, sleeping),
		unless(deploy(stepMetricsServer, p.reconcileMetricsServer, after(stepResourceManager, stepConnection, stepOSCReady, stepScheduler, stepNamespacesReady)), workerless, sleeping),
		unless(deploy(stepVerticalAutoscaler, p.reconcileVerticalAutoscaler, after(stepResourceManager, stepConnection, stepMetricsServer)), workerless, sleeping),
		unless(deploy(stepKubeProxy, p.deployKubeProxy, after(stepResourceManager, stepConnection, stepIdentity, stepScheduler, stepNamespacesReady)), workerless, sleeping, !p.KubeProxy()),
		unless(deploy(stepKubeProxyGone, p.deleteKubeProxy, after(stepResourceManager, stepConnection, stepIdentity, stepScheduler)), workerless, sleeping, p.KubeProxy()),
		unless(deploy(stepVPNServer, p.deployVPNServer, after(stepSecrets, stepNamespace, stepAPIServerReady)), workerless, direct),
		unless(deploy(stepVPNShoot, p.deployVPNShoot, after(stepResourceManager, stepNamespacesReady, stepVPNServer)), workerless, sleeping, direct),
		unless(deploy(stepAPIServerProxy, p.deployAPIServerProxy, after(stepResourceManager, stepNamespacesReady, stepServiceReady)), workerless, sleeping, direct),
		unless(deploy(stepNodeAgent, p.deployNodeAgent, after(stepResourceManager, stepIdentity, stepOSCReady)), workerless, sleeping),

		unless(deploy(stepAutoscalerDown, p.stopAutoscaler, after(stepNodeAgent)), workerless, !sleeping),
		unless(deploy(stepMachines, p.deployMachines, machinesAfter), workerless),
		unless(deploy(stepWorker, p.deployWorker, after(stepMachines, stepOSCReady, stepNetworkReady)), workerless),
		unless(wait(stepMachineDeployments, longWait, p.awaitMachineDeployments, after(stepWorker)), workerless, sleeping),
		unless(deploy(stepAutoscaler, p.deployAutoscaler, after(stepMachineDeployments, stepNodeAgent)), workerless, sleeping),
		unless(wait(stepWorkerReady, longWait, p.awaitWorker, after(stepWorker, stepMachineDeployments, stepNodeAgent)), workerless, unready),
		unless(wait(stepMachinesDown, longWait, p.scaleDownMachines, after(stepWorkerReady)), workerless, !sleeping, asleep),
		unless(wait(stepIngressReady, shortWait, p.awaitIngress, after(stepIngress, stepConnection, stepWorkerReady, stepIdentity)), workerless, sleeping, unready, !p.hasIngress()),
		unless(wait(stepIngressDNS, shortWait, p.deployIngressDNS, after(stepIngressReady)), workerless, sleeping),
		unless(wait(stepTunnel, shortWait, p.awaitTunnel, after(stepConnection, stepNetworkReady, stepSystem, stepCoreDNS, stepNodeLocalDNS, stepKubeProxy, stepVPNShoot, stepAPIServerProxy, stepWorkerReady, stepControllersReady)), workerless, sleeping, unready),
		unless(wait(stepCoreDNSReady, longWait, p.awaitCoreDNS, after(stepCoreDNS, stepWorkerReady)), workerless, sleeping, unready, !p.hasSystemNodes()),
		unless(wait(stepManagedApplied, shortWait, p.awaitManagedApplied, after(stepNamespaces, stepAccess, stepShootIdentity, stepSystem, stepCoreDNS, stepNodeLocalDNS, stepDashboard, stepIngress, stepMetricsServer, stepVerticalAutoscaler, stepKubeProxy, stepNodeAgent, stepMachines, stepAutoscaler)), sleeping),

		unless(deploy(stepRestart, p.restartControlPlane, after(stepControllers, stepControlPlane)), sleeping, !p.ordered(constants.ShootTaskRestartControlPlanePods)),

		unless(wait(stepHibernate, longWait, p.hibernate, after(stepConnection, stepWorkerReady, stepMachinesDown, stepExtAfterReady)), !sleeping),
		unless(wait(stepIngressDNSAsleep, shortWait, p.destroyIngressDNS, after(stepHibernate)), !sleeping),
		unless(wait(stepExternalDNSAsleep, shortWait, p.destroyExternalDNS, after(stepHibernate)), !sleeping),
		unless(wait(stepInternalDNSAsleep, shortWait, p.destroyInternalDNS, after(stepHibernate)), !sleeping),
	})
}
