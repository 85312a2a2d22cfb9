package care

import (
	"context"
	"fmt"
	"net/http"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	shoothealth "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Types of the conditions of a Garden.
const (
	RuntimeComponentsHealthy        gardencorev1beta1.ConditionType = "RuntimeComponentsHealthy"
	VirtualComponentsHealthy        gardencorev1beta1.ConditionType = "VirtualComponentsHealthy"
	VirtualGardenAPIServerAvailable gardencorev1beta1.ConditionType = "VirtualGardenAPIServerAvailable"
	ObservabilityComponentsHealthy  gardencorev1beta1.ConditionType = "ObservabilityComponentsHealthy"
)

// Types lists the types of all conditions, in the order of the columns of a Garden.
func Types() []gardencorev1beta1.ConditionType {
	return []gardencorev1beta1.ConditionType{
		RuntimeComponentsHealthy, VirtualComponentsHealthy, VirtualGardenAPIServerAvailable, ObservabilityComponentsHealthy,
	}
}

// findings looks at everything.
func (r *Reconciler) findings(ctx context.Context) map[gardencorev1beta1.ConditionType]conditions.Finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	applied := &resourcesv1alpha1.ManagedResourceList{}
	unread := r.Runtime.List(ctx, applied, client.InNamespace(constants.GardenNamespace))
	resources := func(class string) conditions.Finding {
		if unread != nil {
			return conditions.Unknown("ManagedResourcesUnknown", fmt.Sprintf("The ManagedResources of the runtime cluster cannot be read: %v", unread))
		}
		return managed(applied.Items, class)
	}
	return map[gardencorev1beta1.ConditionType]conditions.Finding{
		RuntimeComponentsHealthy: worst(
			components(ctx, r.Components.Runtime), resources(classRuntime), conditions.True("RuntimeComponentsRunning", "All runtime components are healthy."),
		),
		VirtualComponentsHealthy: worst(
			components(ctx, r.Components.Virtual), resources(classVirtual), conditions.True("VirtualComponentsRunning", "All virtual garden components are healthy."),
		),
		VirtualGardenAPIServerAvailable: r.apiServer(ctx),
		ObservabilityComponentsHealthy:  worst(components(ctx, r.Components.Observability), r.observed()),
	}
}

// observed is the finding of a garden whose observability components are all healthy. It says when there are none.
func (r *Reconciler) observed() conditions.Finding {
	if len(r.Components.Observability) == 0 {
		return conditions.True("ObservabilityComponentsNotDeployed", "No observability components are deployed, so none can fail.")
	}
	return conditions.True("ObservabilityComponentsRunning", "All observability components are healthy.")
}

// worst returns the first finding that is not True, and otherwise the last one.
func worst(all ...conditions.Finding) conditions.Finding {
	for _, one := range all {
		if one.Status != gardencorev1beta1.ConditionTrue {
			return one
		}
	}
	return all[len(all)-1]
}

// components returns a finding for the first component that does not serve.
func components(ctx context.Context, all []Component) conditions.Finding {
	for _, one := range all {
		if err := one.Serves(ctx); err != nil {
			return conditions.False("ComponentUnhealthy", fmt.Sprintf("Component %q does not serve: %v", one.Name, err))
		}
	}
	return conditions.True("", "")
}

// Classes of the ManagedResources in the namespace garden.
const (
	classRuntime = "seed" // applied to the runtime cluster
	classVirtual = ""     // applied to the virtual cluster
)

// managed returns a finding for the first ManagedResource of the class that is not healthy. Those of extensions count for the
// seed that installs them.
func managed(all []resourcesv1alpha1.ManagedResource, class string) conditions.Finding {
	for i := range all {
		resource := &all[i]
		if ptr.Deref(resource.Spec.Class, "") != class || resource.Labels[constants.LabelControllerInstallationName] != "" {
			continue
		}
		if reason, message := shoothealth.ManagedResource(resource); reason != "" {
			return conditions.False(reason, message)
		}
	}
	return conditions.True("", "")
}

// apiServer asks the API server of the virtual garden for its health.
func (r *Reconciler) apiServer(ctx context.Context) conditions.Finding {
	const down = "VirtualGardenAPIServerDown"
	code, body, err := shoothealth.Get(ctx, r.Virtual, "/healthz")
	switch {
	case err != nil:
		return conditions.False(down, fmt.Sprintf("The API server of the virtual garden does not answer at /healthz: %v", err))
	case code != http.StatusOK:
		return conditions.False(down, fmt.Sprintf("The API server of the virtual garden answers at /healthz with status %d: %.200s", code, body))
	}
	return conditions.True("HealthzRequestSucceeded", "The API server of the virtual garden answers at /healthz.")
}
