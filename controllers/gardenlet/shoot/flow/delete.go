package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubescheduler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Delete is the page with the order of deletion. As long as the control plane can be brought up, the cluster is emptied
// first, by its own controllers; then workers, extensions, API server, infrastructure, etcd and the namespace go.
func (p *Plan) Delete() (*graph.Graph, error) {
	var (
		workerless  = p.Workerless()
		noNamespace = !p.Facts.NamespaceActive
		noCleanup   = !p.cleanupPossible()
		noControl   = noCleanup || !p.controlPlaneNeeded()
		noKCM       = noCleanup || !p.Facts.ControllersExist
		skipCleanup = p.Shoot.Annotations[constants.ShootSkipCleanup] == "true"
	)
	cleaned := after(stepCleanWebhooks, stepCleanAPIs, stepCleanResources)
	emptied := append(after(stepOSCDelete, stepWorkerGone, stepManagedGone, stepNetworkDestroy, stepNetworkGone, stepExtBeforeGone, stepExtStaleAllGone), cleaned...)
	finished := after(stepAPIServerGone, stepControlPlaneGone, stepExtAfterGone, stepExtAllGone, stepIngressDNSDestroy, stepExternalDNSDestroy, stepInfraGone)
	plus := func(base []string, more ...string) []string { return append(append([]string(nil), base...), more...) }

	return build(Deletion, []graph.Step{
		unless(deploy(stepNamespace, p.deployNamespace, nil), noNamespace),
		deploy(stepIdentity, p.ensureIdentity, after(stepNamespace)),
		unless(deploy(stepCloudProvider, p.deployCloudProvider, after(stepNamespace)), workerless, noNamespace),
		unless(deploy(stepService, p.deployService, after(stepNamespace, stepIdentity)), noCleanup),
		unless(deploy(stepRoute, p.deployRoute, after(stepService)), noCleanup),
		unless(wait(stepLoadBalancerReady, shortWait, p.awaitService, after(stepService)), noCleanup),
		unless(deploy(stepAddresses, p.ensureAddresses, after(stepLoadBalancerReady)), noCleanup),
		unless(deploy(stepSecrets, p.initializeSecrets, after(stepNamespace)), noNamespace),
		unless(deploy(stepReferenced, p.deployReferenced, after(stepNamespace)), noNamespace),
		unless(wait(stepInternalDNS, shortWait, p.deployInternalDNS, after(stepReferenced, stepLoadBalancerReady)), noCleanup),
		unless(deploy(stepEtcd, p.deployEtcd, after(stepSecrets, stepCloudProvider)), noCleanup),
		unless(deploy(stepEtcdUp, func(ctx context.Context) error { return p.scaleEtcd(ctx, 1) }, after(stepEtcd)), noCleanup),
		unless(wait(stepEtcdReady, longWait, p.awaitEtcd, after(stepEtcdUp)), noCleanup),
		unless(deploy(stepControlPlane, p.deployControlPlane, after(stepSecrets, stepCloudProvider, stepIdentity)), workerless, noControl),
		unless(wait(stepControlPlaneReady, longWait, p.awaitControlPlane, after(stepControlPlane)), workerless, noControl),
		unless(deploy(stepAPIServer, p.deployAPIServer, after(stepSecrets, stepEtcd, stepEtcdReady, stepLoadBalancerReady, stepControlPlaneReady)), noCleanup),
		unless(deploy(stepAPIServerUp, p.scaleUp(names.APIServer), after(stepAPIServer)), noCleanup, p.Facts.APIServerRuns),
		unless(wait(stepAPIServerReports, longWait, p.awaitAPIServer, after(stepAPIServer, stepAPIServerUp)), noCleanup),
		unless(deploy(stepResourceManager, p.deployResourceManager, after(stepAPIServerReports)), noCleanup),
		unless(wait(stepResourceManagerUp, longWait, p.awaitResourceManager, after(stepResourceManager)), noCleanup),
		unless(deploy(stepAccess, p.deployAccess, after(stepSecrets, stepResourceManagerUp)), noCleanup),
		unless(wait(stepConnection, longWait, p.connect, after(stepCloudProvider, stepAPIServerReports, stepInternalDNS, stepAccess)), noCleanup),
		unless(deploy(stepControllers, p.deployControllers, after(stepSecrets, stepCloudProvider, stepControlPlaneReady, stepConnection)), noKCM),
		unless(deploy(stepControllersUp, p.scaleUp(kubecontrollermanager.Name), after(stepControllers)), noKCM),

		unless(deploy(stepAutoscalerDelete, p.deleteAutoscaler, after(stepConnection)), workerless),
		unless(deploy(stepPodAutoscalingDelete, p.deletePodAutoscaling, after(stepConnection, stepResourceManagerUp)), workerless),
		unless(wait(stepCleanWebhooks, longWait, p.cleanWebhooks, after(stepConnection, stepResourceManager)), noCleanup),
		unless(wait(stepControllersActive, longWait, p.awaitControllers, after(stepConnection, stepCleanWebhooks, stepControlPlane, stepControllersUp)), noKCM),
		unless(wait(stepCleanAPIs, longWait, p.cleanExtendedAPIs, after(stepConnection, stepAutoscalerDelete, stepPodAutoscalingDelete, stepControllersActive)), noCleanup, skipCleanup),
		unless(wait(stepCleanResources, longWait, p.cleanResources, after(stepConnection, stepCleanAPIs, stepControlPlane, stepControllers, stepControllersActive)), noCleanup),
		unless(deploy(stepNetworkDestroy, p.destroyNetwork, cleaned), workerless),
		unless(wait(stepNetworkGone, longWait, p.awaitNetworkGone, after(stepNetworkDestroy)), workerless),
		unless(deploy(stepMachines, p.deployMachines, append(after(stepSecrets), cleaned...)), workerless, noNamespace, noCleanup),
		unless(deploy(stepWorkerDestroy, p.destroyWorker, after(stepMachines)), workerless),
		unless(wait(stepWorkerGone, longWait, p.awaitWorkerGone, after(stepWorkerDestroy)), workerless),
		unless(deploy(stepMachinesDelete, p.deleteMachines, after(stepWorkerGone)), workerless),
		unless(deploy(stepOSCDelete, p.deleteOSC, after(stepWorkerGone)), workerless),
		unless(wait(stepOSCGone, longWait, p.awaitOSCGone, after(stepOSCDelete)), workerless),
		unless(deploy(stepManagedDelete, p.deleteAllManaged, plus(cleaned, stepWorkerGone)), noCleanup),
		unless(wait(stepManagedGone, longWait, p.awaitManagedGone, after(stepManagedDelete)), noCleanup),
		deploy(stepExtBeforeDelete, p.deleteExtensions(lastDeleted), after(stepCleanResources, stepManagedGone)),
		wait(stepExtBeforeGone, longWait, p.awaitExtensionsGone(lastDeleted), after(stepExtBeforeDelete)),
		deploy(stepExtStale, p.deleteExtensions(every), after(stepCleanResources, stepManagedGone)),
		wait(stepExtStaleAllGone, longWait, p.awaitExtensionsGone(every), after(stepExtStale, stepExtBeforeGone)),
		unless(deploy(stepRuntimesDelete, p.deleteStaleRuntimes, plus(cleaned, stepConnection)), workerless),
		unless(wait(stepRuntimesStaleGone, longWait, p.awaitStaleRuntimesGone, after(stepRuntimesDelete)), workerless),

		unless(deploy(stepControlPlaneDestroy, p.destroyControlPlane, emptied), workerless),
		unless(wait(stepControlPlaneGone, longWait, p.awaitControlPlaneGone, after(stepControlPlaneDestroy)), workerless),
		unless(wait(stepShootManagedGone, longWait, p.awaitAllManagedGone, after(stepControlPlaneGone)), noCleanup),
		deploy(stepAPIServerDelete, p.deleteControlPlane, plus(emptied, stepControlPlaneGone, stepShootManagedGone)),
		wait(stepAPIServerGone, longWait, p.awaitAPIServerGone, after(stepAPIServerDelete)),
		deploy(stepExtAfterDelete, p.deleteExtensions(none), after(stepAPIServerGone)),
		wait(stepExtAfterGone, longWait, p.awaitExtensionsGone(none), after(stepExtAfterDelete)),
		wait(stepExtAllGone, longWait, p.awaitExtensionsGone(none), after(stepAPIServerGone, stepExtAfterDelete)),
		deploy(stepRouteDestroy, p.destroyRoute, after(stepAPIServerGone)),
		deploy(stepServiceDestroy, p.destroyService, after(stepAPIServerGone, stepRouteDestroy)),
		deploy(stepResourceManagerGone, p.destroyResourceManager, after(stepAPIServerGone)),
		unless(wait(stepIngressDNSDestroy, shortWait, p.destroyIngressDNS, emptied), workerless, noNamespace),
		unless(deploy(stepInfraDestroy, p.destroyInfrastructure, plus(emptied, stepControlPlaneGone)), workerless),
		unless(wait(stepInfraGone, longWait, p.awaitInfrastructureGone, after(stepInfraDestroy)), workerless),
		unless(wait(stepExternalDNSDestroy, shortWait, p.destroyExternalDNS, plus(emptied, stepAPIServerGone)), noNamespace),
		unless(wait(stepInternalDNSDestroy, shortWait, p.destroyInternalDNS, finished), noNamespace),
		unless(deploy(stepReferencedDelete, func(ctx context.Context) error { return p.deleteReferenced(ctx, nil) }, finished), noNamespace),
		deploy(stepEtcdDestroy, p.destroyEtcd, finished),
		wait(stepEtcdGone, longWait, p.awaitEtcdGone, plus(finished, stepEtcdDestroy)),
		deploy(stepNamespaceDelete, p.deleteNamespace, plus(finished, stepInternalDNSDestroy, stepReferencedDelete, stepEtcdGone, stepServiceDestroy, stepResourceManagerGone)),
		wait(stepNamespaceGone, longWait, p.awaitNamespaceGone, after(stepNamespaceDelete)),
		deploy(stepShootStateDelete, p.deleteArtefactsOfShoot, after(stepNamespaceDelete)),
	})
}

// cleanupPossible tells whether the control plane can be brought up to empty the cluster.
func (p *Plan) cleanupPossible() bool {
	f := p.Facts
	return f.NamespaceActive && f.APIServerExists && (p.Workerless() || f.InfrastructureExists)
}

// controlPlaneNeeded tells whether the provider's part of the control plane takes part in emptying the cluster.
func (p *Plan) controlPlaneNeeded() bool {
	f := p.Facts
	return (f.ControlPlaneExists || f.APIServerExists) && f.InfrastructureUsable
}

func (p *Plan) skipReadiness() bool {
	return p.Shoot.Annotations[constants.ShootSkipReadiness] == "true"
}

func (p *Plan) scaleUp(name string) func(context.Context) error {
	return func(ctx context.Context) error { return p.scale(ctx, name, 1) }
}

// deleteControlPlane deletes the API server and those that are of no use without it.
func (p *Plan) deleteControlPlane(ctx context.Context) error {
	for _, name := range []string{kubecontrollermanager.Name, kubescheduler.Name} {
		if err := p.deleteDeployment(ctx, name); err != nil {
			return err
		}
	}
	return p.deleteAPIServer(ctx)
}

func (p *Plan) deleteOSC(ctx context.Context) error {
	return p.objects.DeleteAll(ctx, extensionsv1alpha1.OperatingSystemConfigResource, p.namespace, nil)
}

func (p *Plan) awaitOSCGone(ctx context.Context) error {
	return p.objects.WaitAllGone(ctx, extensionsv1alpha1.OperatingSystemConfigResource, p.namespace, nil)
}

// deleteArtefactsOfShoot removes what the garden keeps of the shoot, last of all.
func (p *Plan) deleteArtefactsOfShoot(ctx context.Context) error {
	if err := p.deleteShootState(ctx); err != nil {
		return err
	}
	return p.deleteSecretsOfUsers(ctx)
}
