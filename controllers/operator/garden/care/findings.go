package care

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	shoothealth "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

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
		operatorv1alpha1.RuntimeComponentsHealthy: worst(
			r.components(ctx, host.Runtime), resources(classRuntime), conditions.True("RuntimeComponentsRunning", "All runtime components are healthy."),
		),
		operatorv1alpha1.VirtualComponentsHealthy: worst(
			r.components(ctx, host.Virtual), resources(classVirtual), conditions.True("VirtualComponentsRunning", "All virtual garden components are healthy."),
		),
		operatorv1alpha1.VirtualGardenAPIServerAvailable: r.apiServer(ctx),
		operatorv1alpha1.ObservabilityComponentsHealthy:  worst(r.components(ctx, host.Observability), r.observed()),
	}
}

// observed is the finding of a garden whose observability components serve, as far as there are any.
func (r *Reconciler) observed() conditions.Finding {
	var runs bool
	var absent []string
	for _, one := range r.Components {
		switch {
		case one.Group != host.Observability:
		case one.Serves != nil:
			runs = true
		default:
			absent = append(absent, fmt.Sprintf("%s (%s)", one.Name, one.Absent))
		}
	}
	if runs {
		return conditions.True("ObservabilityComponentsRunning", "All observability components are healthy.")
	}
	text := "No observability components are deployed, so none can fail."
	if len(absent) > 0 {
		text = "No observability components are deployed: " + strings.Join(absent, ", ") + "."
	}
	return conditions.True("ObservabilityComponentsNotDeployed", text)
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

// components returns a finding for the components of the group that the host runs and that do not serve, or complain.
func (r *Reconciler) components(ctx context.Context, group host.Group) conditions.Finding {
	var failures []string
	for _, one := range r.Components {
		if one.Group != group || one.Serves == nil {
			continue
		}
		if err := one.Serves(ctx); err != nil {
			failures = append(failures, fmt.Sprintf("%q does not serve: %v", one.Name, err))
		} else if one.Complains != nil {
			if err := one.Complains(ctx); err != nil {
				failures = append(failures, fmt.Sprintf("%q serves, but: %v", one.Name, err))
			}
		}
	}
	if len(failures) > 0 {
		return conditions.False("ComponentUnhealthy", "Component "+strings.Join(failures, "; component "))
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
	virtual, err := r.Virtual(ctx)
	if err != nil {
		return conditions.False(down, fmt.Sprintf("The API server of the virtual garden cannot be reached: %v", err))
	}
	code, body, err := shoothealth.Get(ctx, virtual, "/healthz")
	switch {
	case err != nil:
		return conditions.False(down, fmt.Sprintf("The API server of the virtual garden does not answer at /healthz: %v", err))
	case code != http.StatusOK:
		return conditions.False(down, fmt.Sprintf("The API server of the virtual garden answers at /healthz with status %d: %.200s", code, body))
	}
	return conditions.True("HealthzRequestSucceeded", "The API server of the virtual garden answers at /healthz.")
}
