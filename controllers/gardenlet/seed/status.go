package seed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	reasonBootstrapping      = "BootstrapProgressing"
	reasonBootstrapped       = "BootstrappingSucceeded"
	reasonBootstrapFailed    = "BootstrappingFailed"
	reasonComponentsRunning  = "SystemComponentsRunning"
	reasonComponentUnhealthy = "SystemComponentUnhealthy"
	reasonComponentsUnknown  = "SystemComponentsUnknown"
)

// Resources says how much the seed can take.
type Resources struct {
	Capacity, Reserved corev1.ResourceList
}

// Allocatable is the capacity minus what is reserved.
func (r Resources) Allocatable() corev1.ResourceList {
	if r.Capacity == nil {
		return nil
	}
	allocatable := r.Capacity.DeepCopy()
	for name, reserved := range r.Reserved {
		if quantity, found := allocatable[name]; found {
			quantity.Sub(reserved)
			allocatable[name] = quantity
		}
	}
	return allocatable
}

// operation sets the last operation; its time changes only when it does.
func (r *Reconciler) operation(seed *gardencorev1beta1.Seed, kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState, progress int32, description string) {
	last := seed.Status.LastOperation
	if last != nil && last.Type == kind && last.State == state && last.Progress == progress && last.Description == description {
		return
	}
	seed.Status.LastOperation = &gardencorev1beta1.LastOperation{
		Type: kind, State: state, Progress: progress, Description: description, LastUpdateTime: metav1.NewTime(r.Clock.Now()),
	}
}

func (r *Reconciler) condition(seed *gardencorev1beta1.Seed, kind gardencorev1beta1.ConditionType, finding conditions.Finding) {
	seed.Status.Conditions = conditions.Set(seed.Status.Conditions, kind, finding, r.Clock.Now())
}

// certificateEnd is asked each time: the certificate is renewed while the gardenlet runs.
func (r *Reconciler) certificateEnd() (*metav1.Time, error) {
	if r.ClientCertificateExpires == nil {
		return nil, nil
	}
	end, err := r.ClientCertificateExpires()
	if err != nil {
		return nil, fmt.Errorf("look at the client certificate of the gardenlet: %w", err)
	}
	return &metav1.Time{Time: end}, nil
}

// componentHealth judges the ManagedResources in the garden namespace of the seed.
func (r *Reconciler) componentHealth(ctx context.Context) conditions.Finding {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(resourcesv1alpha1.SchemeGroupVersion.WithKind("ManagedResourceList"))
	if err := r.SeedClient.List(ctx, list, client.InNamespace(constants.GardenNamespace)); err != nil {
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("The managed resources of the seed cannot be read: %v", err))
	}
	for i := range list.Items {
		resource := &list.Items[i]
		if resource.GetLabels()[constants.LabelControllerInstallationName] != "" {
			continue // counts for ExtensionsReady
		}
		if err := health.ManagedResource(resource); err != nil {
			return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("ManagedResource %q: %v", resource.GetName(), err))
		}
	}
	return conditions.True(reasonComponentsRunning, "All system components are healthy.")
}
