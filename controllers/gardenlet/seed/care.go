package seed

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	reasonComponentsRunning  = "SystemComponentsRunning"
	reasonComponentsStarting = "SystemComponentsStarting"
	reasonComponentUnhealthy = "SystemComponentUnhealthy"
	reasonComponentsUnknown  = "SystemComponentsUnknown"
)

const (
	// careRetry is the interval for checking components that are not healthy.
	careRetry = time.Second
	// startTimeout is how long a new Deployment may go without a status.
	startTimeout = 5 * time.Minute
)

// Care configures the health checks of the components of the seed.
type Care struct {
	// Period is the interval of the checks.
	Period time.Duration
	// Threshold is how long the condition stays Progressing before it becomes False; zero means that it becomes False
	// at once.
	Threshold time.Duration
}

// care updates the condition while there is nothing else to do. The reconciliation sets it first.
func (r *Reconciler) care(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	const kind = gardencorev1beta1.SeedSystemComponentsHealthy
	seed := &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, request.NamespacedName, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if seed.DeletionTimestamp != nil || conditions.Get(seed.Status.Conditions, kind) == nil {
		return reconcile.Result{}, nil // the change of the condition wakes the controller
	}
	finding := r.componentHealth(ctx, seed)
	again := r.Care.Period
	if finding.Status != gardencorev1beta1.ConditionTrue {
		again = min(careRetry, again)
	}
	return reconcile.Result{RequeueAfter: again}, seedstatus.SetCondition(ctx, r.Garden, seed, kind, finding, r.Clock.Now())
}

// componentHealth returns the finding for the ManagedResources in the garden namespace of the seed, and for the
// Deployments of the gardenlet there.
func (r *Reconciler) componentHealth(ctx context.Context, seed *gardencorev1beta1.Seed) conditions.Finding {
	checks, parts := checks{r.SeedClient, r.Clock}, r.parts()
	finding := checks.managed(ctx)
	for _, name := range r.components() {
		if finding.Status == gardencorev1beta1.ConditionTrue {
			finding = checks.deployment(ctx, name)
		}
	}
	if r.Monitoring && finding.Status == gardencorev1beta1.ConditionTrue {
		finding = parts.monitoring.health(ctx)
	}
	if autoscaler(seed) != nil && finding.Status == gardencorev1beta1.ConditionTrue {
		finding = parts.autoscaling.health(ctx)
	}
	old := conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedSystemComponentsHealthy)
	return conditions.WithThreshold(old, finding, r.Care.Threshold, r.Clock.Now())
}

// checks judge the components of a seed.
type checks struct {
	client client.Client
	clock  clock.PassiveClock
}

func (c checks) managed(ctx context.Context) conditions.Finding {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(resourcesv1alpha1.SchemeGroupVersion.WithKind("ManagedResourceList"))
	if err := c.client.List(ctx, list, client.InNamespace(constants.GardenNamespace)); err != nil {
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("The managed resources of the seed cannot be read: %v", err))
	}
	for i := range list.Items {
		resource := &list.Items[i]
		if resource.GetLabels()[constants.LabelControllerInstallationName] != "" {
			continue // belongs to ExtensionsReady
		}
		if err := health.ManagedResource(resource); err != nil {
			return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("ManagedResource %q: %v", resource.GetName(), err))
		}
	}
	return conditions.True(reasonComponentsRunning, "All system components are healthy.")
}

func (c checks) deployment(ctx context.Context, name string) conditions.Finding {
	deployment := &appsv1.Deployment{}
	err := c.client.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: name}, deployment)
	if client.IgnoreNotFound(err) != nil {
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("Deployment %q of the seed cannot be read: %v", name, err))
	}
	if err == nil {
		err = health.Deployment(deployment)
	}
	switch {
	case err == nil:
		return conditions.True(reasonComponentsRunning, "All system components are healthy.")
	case starting(deployment, c.clock.Now()):
		return conditions.Finding{
			Status: gardencorev1beta1.ConditionProgressing, Reason: reasonComponentsStarting, Message: fmt.Sprintf("Deployment %q is being rolled out: %v", name, err),
		}
	default:
		return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("Deployment %q: %v", name, err))
	}
}

// starting reports whether a Deployment is rolled out for the first time, or after a change. Once a rollout has
// succeeded, pods that are not ready are a failure.
func starting(deployment *appsv1.Deployment, now time.Time) bool {
	const succeeded = "NewReplicaSetAvailable"
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentProgressing {
			return condition.Status == corev1.ConditionTrue && condition.Reason != succeeded
		}
	}
	return now.Sub(deployment.CreationTimestamp.Time) < startTimeout
}
