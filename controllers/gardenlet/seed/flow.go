package seed

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
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
	extensions := r.extensionsOf(seed)
	steps := []flow.Step{
		{Name: stepNamespaces, Do: r.deployNamespaces},
		{Name: stepScalingCRDs, Do: r.deployScalingCRDs},
		{Name: stepCRDsReady, After: append([]string{stepScalingCRDs}, crdSteps...), Do: r.crds.wait},
		{Name: stepSystemResources, After: []string{stepNamespaces}, Do: r.deployPriorityClasses},
		{Name: stepClusterIdentity, After: []string{stepNamespaces}, Do: func(ctx context.Context) (err error) {
			*identity, err = r.deployClusterIdentity(ctx)
			return err
		}},
		{Name: stepFrontDoor, After: []string{stepCRDsReady, stepSystemResources}, Skip: len(r.FrontDoors) == 0, Do: r.deployFrontDoors, Timeout: componentsTimeout, Retry: componentsRetry},
		{Name: stepCallback, After: []string{stepSystemResources}, Skip: r.Callback == nil, Do: r.deployCallback},
		{Name: stepMonitoring, After: []string{stepSystemResources}, Do: r.reconcileMonitoring},
		{Name: stepAutoscaler, After: []string{stepSystemResources, stepScalingCRDs}, Do: func(ctx context.Context) error { return r.reconcileAutoscaler(ctx, seed) }},
		{Name: stepExtensions, After: []string{stepNamespaces, stepCRDsReady}, Do: extensions.deploy},
		{Name: stepExtensionsReady, After: []string{stepExtensions}, Do: extensions.await, Timeout: extensionsTimeout, Retry: componentsRetry},
		{Name: stepAdmission, After: []string{stepSystemResources}, Do: r.deployAdmission},
		{Name: stepBackupBucket, After: []string{stepCRDsReady}, Skip: seed.Spec.Backup == nil, Do: func(ctx context.Context) error {
			return r.deployBackupBucket(ctx, seed)
		}},
	}
	if r.ResourceManager {
		deploy := r.deployResourceManager
		if garden != "" {
			deploy = r.completeResourceManager
		}
		steps = append(steps,
			flow.Step{Name: stepResourceManager, After: []string{stepCRDsReady, stepSystemResources}, Do: deploy},
			flow.Step{Name: stepManagerHealthy, After: []string{stepResourceManager}, Do: func(ctx context.Context) error {
				return r.checkResourceManager(ctx, garden)
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
	return flow.New("Seed cluster deletion",
		flow.Step{Name: stepDestroyExtensions, Do: r.extensionsOf(seed).await, Timeout: extensionsTimeout, Retry: componentsRetry},
		flow.Step{Name: stepDestroyBucket, Do: func(ctx context.Context) error { return r.destroyBackupBucket(ctx, seed) }},
		flow.Step{Name: stepNoInstallations, After: []string{stepDestroyBucket, stepDestroyExtensions}, Do: func(ctx context.Context) error { return r.ensureNoInstallations(ctx, seed) }},
		flow.Step{Name: stepDestroySystem, After: []string{stepNoInstallations}, Do: func(ctx context.Context) error { return r.destroyPriorityClasses(ctx, garden) }},
		flow.Step{Name: stepDestroyIdentity, After: []string{stepNoInstallations}, Do: r.destroyClusterIdentity},
		flow.Step{Name: stepDestroyAdmission, After: []string{stepNoInstallations}, Do: r.destroyAdmission},
		flow.Step{Name: stepDestroyResourceManager, After: []string{stepDestroyAdmission}, Skip: !r.ResourceManager || garden != "", Do: r.destroyOwnResourceManager},
		flow.Step{Name: stepDestroyMonitoring, After: []string{stepNoInstallations}, Do: r.destroyMonitoring},
		flow.Step{Name: stepDestroyAutoscaler, After: []string{stepNoInstallations}, Do: r.destroyAutoscaler},
		flow.Step{Name: stepLeave, After: []string{stepNoInstallations}, Skip: r.Leave == nil, Do: func(ctx context.Context) error { return r.Leave(ctx, r.SeedClient) }},
		flow.Step{Name: stepDestroyCallback, After: []string{stepNoInstallations}, Skip: r.Callback == nil, Do: r.destroyCallback},
		flow.Step{Name: stepDestroyFrontDoor, After: []string{stepNoInstallations}, Skip: len(r.FrontDoors) == 0, Do: r.destroyFrontDoors},
	)
}

func (r *Reconciler) applier() patch.Applier {
	return patch.Applier{Client: r.SeedClient, Owner: fieldOwner, Pods: r.Pods}
}

func (r *Reconciler) deployNamespaces(ctx context.Context) error {
	return r.applier().ApplyAll(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: constants.GardenNamespace, Labels: map[string]string{
			constants.GardenRole:                 constants.GardenNamespace,
			"pod-security.kubernetes.io/enforce": "privileged",
		}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, Labels: map[string]string{
			constants.GardenRole: constants.PurposeKubeSystem,
		}}})
}

// priorityClasses are the classes for components of a seed and of its control planes.
func priorityClasses() []client.Object {
	var classes []client.Object
	for _, name := range []string{
		constants.PriorityClassNameSeedSystemCritical, constants.PriorityClassNameSeedSystem900, constants.PriorityClassNameSeedSystem800,
		constants.PriorityClassNameSeedSystem700, constants.PriorityClassNameSeedSystem600,
		constants.PriorityClassNameShootControlPlane500, constants.PriorityClassNameShootControlPlane400, constants.PriorityClassNameShootControlPlane300,
		constants.PriorityClassNameShootControlPlane200, constants.PriorityClassNameShootControlPlane100,
		constants.PriorityClassNameReserveExcessCapacity,
	} {
		classes = append(classes, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Value: constants.PriorityClassValues[name],
			Description: "PriorityClass for components of Gardener",
		})
	}
	return classes
}

// deployPriorityClasses creates missing classes; existing ones are immutable.
func (r *Reconciler) deployPriorityClasses(ctx context.Context) error {
	existing := &metav1.PartialObjectMetadataList{}
	existing.SetGroupVersionKind(schedulingv1.SchemeGroupVersion.WithKind("PriorityClassList"))
	if err := r.SeedClient.List(ctx, existing); err != nil {
		return fmt.Errorf("list priority classes: %w", err)
	}
	known := map[string]bool{}
	for i := range existing.Items {
		known[existing.Items[i].Name] = true
	}
	for _, class := range priorityClasses() {
		if known[class.GetName()] {
			continue
		}
		if _, err := r.applier().Apply(ctx, class); err != nil {
			return err
		}
	}
	return nil
}

// destroyPriorityClasses keeps the class of the resource manager if it belongs to the operator of a Garden.
func (r *Reconciler) destroyPriorityClasses(ctx context.Context, garden string) error {
	for _, class := range priorityClasses() {
		if garden != "" && class.GetName() == constants.PriorityClassNameSeedSystemCritical {
			continue
		}
		if err := r.SeedClient.Delete(ctx, class); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete priority class %q: %w", class.GetName(), err)
		}
	}
	return nil
}

// deployClusterIdentity keeps an existing identity. Otherwise the identity is the UID of namespace kube-system.
func (r *Reconciler) deployClusterIdentity(ctx context.Context) (string, error) {
	identity := clusterIdentity()
	err := r.SeedClient.Get(ctx, client.ObjectKeyFromObject(identity), identity)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read cluster identity: %w", err)
	}
	if id := identity.Data[constants.ClusterIdentity]; err == nil && id != "" {
		return id, nil
	}
	system := &corev1.Namespace{}
	if err := r.SeedClient.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return "", fmt.Errorf("read namespace %q: %w", metav1.NamespaceSystem, err)
	}
	identity = clusterIdentity()
	identity.Immutable = ptr.To(true)
	identity.Data = map[string]string{
		constants.ClusterIdentity: string(system.UID), constants.ClusterIdentityOrigin: constants.ClusterIdentityOriginSeed,
	}
	_, err = r.applier().Apply(ctx, identity)
	return string(system.UID), err
}

// destroyClusterIdentity removes an identity only if a gardenlet has written it.
func (r *Reconciler) destroyClusterIdentity(ctx context.Context) error {
	identity := clusterIdentity()
	if err := r.SeedClient.Get(ctx, client.ObjectKeyFromObject(identity), identity); err != nil {
		return client.IgnoreNotFound(err)
	}
	if identity.Data[constants.ClusterIdentityOrigin] != constants.ClusterIdentityOriginSeed {
		return nil
	}
	return client.IgnoreNotFound(r.SeedClient.Delete(ctx, identity))
}

func clusterIdentity() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: constants.ClusterIdentity}}
}
