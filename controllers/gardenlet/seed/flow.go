package seed

import (
	"context"
	"time"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Names of the steps. Users see them in the progress of the Seed.
const (
	stepNamespaces      = "Deploying garden namespace"
	stepMachineCRDs     = "Deploying machine-related custom resource definitions"
	stepExtensionCRDs   = "Deploying extensions-related custom resource definitions"
	stepEtcdCRDs        = "Deploying ETCD-related custom resource definitions"
	stepIstioCRDs       = "Deploying Istio-related custom resource definitions"
	stepResourceCRDs    = "Deploying resource-manager-related custom resource definitions"
	stepScalingCRDs     = "Deploying HVPA-related custom resource definitions"
	stepCRDsReady       = "Waiting until custom resource definitions are established"
	stepSystemResources = "Deploying system resources"
	stepClusterIdentity = "Deploying cluster-identity"
	stepBackupBucket    = "Deploying BackupBucket for seed"
	stepResourceManager = "Deploying gardener-resource-manager"
	stepAdmission       = "Deploying gardener-seed-admission-controller"
	stepManagerHealthy  = "Waiting until gardener-resource-manager is healthy"
	stepFrontDoor       = "Deploying front door"
	stepCallback        = "Deploying landscape-callback"
	stepMonitoring      = "Deploying monitoring components"
	stepAutoscaler      = "Deploying Kubernetes vertical pod autoscaler"
	stepExtensions      = "Deploying extension resources of the seed"
	stepExtensionsReady = "Waiting until extension resources of the seed are ready"

	stepDestroyBucket          = "Destroying BackupBucket of seed"
	stepNoInstallations        = "Ensuring all ControllerInstallations are gone"
	stepDestroySystem          = "Destroying system resources"
	stepDestroyIdentity        = "Destroying cluster-identity"
	stepDestroyAdmission       = "Destroying gardener-seed-admission-controller"
	stepDestroyResourceManager = "Destroying gardener-resource-manager"
	stepDestroyFrontDoor       = "Destroying front door"
	stepDestroyCallback        = "Destroying landscape-callback"
	stepLeave                  = "Leaving the seed to others"
	stepDestroyMonitoring      = "Destroying monitoring components"
	stepDestroyAutoscaler      = "Destroying Kubernetes vertical pod autoscaler"
	stepDestroyExtensions      = "Destroying extension resources of the seed"
)

// Time limits of the wait for components: images may have to be pulled.
const (
	componentsTimeout = 5 * time.Minute
	componentsRetry   = time.Second
	// extensionsTimeout is short, because an extension may be installed only after its seed is ready: a later run finds it.
	extensionsTimeout = 30 * time.Second
)

// crdSteps all start at once, and one later step waits for all of them.
var crdSteps = []string{stepMachineCRDs, stepExtensionCRDs, stepEtcdCRDs, stepIstioCRDs, stepResourceCRDs}

// creation returns the steps that make a cluster a seed. garden is the name of a Garden in it, whose operator owns some components; it may be empty.
// identity receives the identity of the cluster.
func (r *Reconciler) creation(seed *gardencorev1beta1.Seed, garden string, identity *string) (*flow.Graph, error) {
	parts, extensions := r.parts(), r.extensionsOf(seed)
	steps := []flow.Step{
		{Name: stepNamespaces, Do: parts.system.deployNamespaces},
		{Name: stepScalingCRDs, Do: parts.scaling.deploy},
		{Name: stepCRDsReady, After: append([]string{stepScalingCRDs}, crdSteps...), Do: r.crds.wait},
		{Name: stepSystemResources, After: []string{stepNamespaces}, Do: parts.system.deployPriorityClasses},
		{Name: stepClusterIdentity, After: []string{stepNamespaces}, Do: func(ctx context.Context) (err error) {
			*identity, err = parts.system.deployClusterIdentity(ctx)
			return err
		}},
		{Name: stepFrontDoor, After: []string{stepCRDsReady, stepSystemResources}, Skip: len(r.FrontDoors) == 0, Do: parts.frontDoors.deploy, Timeout: componentsTimeout, Retry: componentsRetry},
		{Name: stepCallback, After: []string{stepSystemResources}, Skip: r.Callback == nil, Do: parts.callbacks.deploy},
		{Name: stepMonitoring, After: []string{stepSystemResources}, Do: parts.monitoring.reconcile},
		{Name: stepAutoscaler, After: []string{stepSystemResources, stepScalingCRDs}, Do: func(ctx context.Context) error {
			return parts.autoscaling.reconcile(ctx, seed, garden != "" && !r.RuntimeCluster)
		}},
		{Name: stepExtensions, After: []string{stepNamespaces, stepCRDsReady}, Do: extensions.deploy},
		{Name: stepExtensionsReady, After: []string{stepExtensions}, Do: extensions.await, Timeout: extensionsTimeout, Retry: componentsRetry},
		{Name: stepAdmission, After: []string{stepSystemResources}, Do: parts.admission.deploy},
		{Name: stepBackupBucket, After: []string{stepCRDsReady}, Skip: seed.Spec.Backup == nil, Do: func(ctx context.Context) error {
			return parts.inGarden.deployBackupBucket(ctx, seed)
		}},
	}
	if r.ResourceManager {
		deploy := parts.resourceManager.deploy
		if garden != "" {
			deploy = parts.resourceManager.complete
		}
		steps = append(steps,
			flow.Step{Name: stepResourceManager, After: []string{stepCRDsReady, stepSystemResources}, Do: deploy},
			flow.Step{Name: stepManagerHealthy, After: []string{stepResourceManager}, Do: func(ctx context.Context) error {
				return parts.resourceManager.check(ctx, garden)
			}, Timeout: componentsTimeout, Retry: componentsRetry},
		)
	}
	for _, name := range crdSteps {
		steps = append(steps, flow.Step{Name: name, Do: func(ctx context.Context) error {
			return r.crds.ensure(ctx, name, !r.RuntimeCluster && ofOperator(name, garden))
		}})
	}
	return flow.New("Seed cluster creation", steps...)
}

// deletion returns the steps that remove everything except the definitions and the namespaces, since other controllers
// still watch these kinds. What belongs to the operator of a Garden in the cluster stays, too.
func (r *Reconciler) deletion(seed *gardencorev1beta1.Seed, garden string) (*flow.Graph, error) {
	parts := r.parts()
	return flow.New("Seed cluster deletion",
		flow.Step{Name: stepDestroyExtensions, Do: r.extensionsOf(seed).await, Timeout: extensionsTimeout, Retry: componentsRetry},
		flow.Step{Name: stepDestroyBucket, Do: func(ctx context.Context) error { return parts.inGarden.destroyBackupBucket(ctx, seed) }},
		flow.Step{Name: stepNoInstallations, After: []string{stepDestroyBucket, stepDestroyExtensions}, Do: func(ctx context.Context) error { return parts.inGarden.ensureNoInstallations(ctx, seed) }},
		flow.Step{Name: stepDestroySystem, After: []string{stepNoInstallations}, Do: func(ctx context.Context) error { return parts.system.destroyPriorityClasses(ctx, garden) }},
		flow.Step{Name: stepDestroyIdentity, After: []string{stepNoInstallations}, Do: parts.system.destroyClusterIdentity},
		flow.Step{Name: stepDestroyAdmission, After: []string{stepNoInstallations}, Do: parts.admission.destroy},
		flow.Step{Name: stepDestroyResourceManager, After: []string{stepDestroyAdmission}, Skip: !r.ResourceManager || garden != "", Do: parts.resourceManager.destroyOwn},
		flow.Step{Name: stepDestroyMonitoring, After: []string{stepNoInstallations}, Do: parts.monitoring.destroy},
		flow.Step{Name: stepDestroyAutoscaler, After: []string{stepNoInstallations}, Do: parts.autoscaling.own().Destroy},
		flow.Step{Name: stepLeave, After: []string{stepNoInstallations}, Skip: r.Leave == nil, Do: func(ctx context.Context) error { return r.Leave(ctx, r.SeedClient) }},
		flow.Step{Name: stepDestroyCallback, After: []string{stepNoInstallations}, Skip: r.Callback == nil, Do: parts.callbacks.destroy},
		flow.Step{Name: stepDestroyFrontDoor, After: []string{stepNoInstallations}, Skip: len(r.FrontDoors) == 0, Do: parts.frontDoors.destroy},
	)
}
