package controllerinstallation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// findings by the condition they are for.
type findings map[gardencorev1beta1.ConditionType]conditions.Finding

// deployed returns the findings about the objects of the chart in the seed.
func (r *Reconciler) deployed(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (findings, error) {
	managed := &resourcesv1alpha1.ManagedResource{}
	err := r.Seed.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: installation.Name}, managed)
	if apierrors.IsNotFound(err) {
		return pending("The installation waits for a valid deployment."), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read managed resource %q of the seed: %w", installation.Name, err)
	}
	return JudgeManaged(managed), nil
}

// JudgeManaged translates the conditions of the ManagedResource with the objects of a chart.
func JudgeManaged(managed *resourcesv1alpha1.ManagedResource) findings {
	applied := conditions.Get(managed.Status.Conditions, resourcesv1alpha1.ResourcesApplied)
	if applied != nil && applied.Status == gardencorev1beta1.ConditionFalse {
		return findings{ // the generation is not observed then
			gardencorev1beta1.ControllerInstallationInstalled: conditions.False("InstallationFailed", applied.Message),
			gardencorev1beta1.ControllerInstallationHealthy:   conditions.False("ControllerNotHealthy", "The objects of the chart are not applied."),
		}
	}
	if applied == nil || applied.Status != gardencorev1beta1.ConditionTrue || managed.Status.ObservedGeneration != managed.Generation {
		return pending("The resource manager of the seed has not applied the objects of the chart yet.")
	}
	out := findings{gardencorev1beta1.ControllerInstallationInstalled: conditions.True("InstallationSuccessful", "The controller was successfully installed in the seed cluster.")}
	switch healthy := conditions.Get(managed.Status.Conditions, resourcesv1alpha1.ResourcesHealthy); {
	case healthy != nil && healthy.Status == gardencorev1beta1.ConditionTrue:
		out[gardencorev1beta1.ControllerInstallationHealthy] = conditions.True("ControllerHealthy", "The controller running in the seed cluster is healthy.")
	default:
		out[gardencorev1beta1.ControllerInstallationHealthy] = conditions.False("ControllerNotHealthy", message(healthy))
	}
	switch progressing := conditions.Get(managed.Status.Conditions, resourcesv1alpha1.ResourcesProgressing); {
	case progressing != nil && progressing.Status == gardencorev1beta1.ConditionFalse:
		out[gardencorev1beta1.ControllerInstallationProgressing] = conditions.False("ControllerRolledOut", "The controller has been fully rolled out.")
	default:
		out[gardencorev1beta1.ControllerInstallationProgressing] = conditions.True("ControllerNotRolledOut", message(progressing))
	}
	return out
}

func pending(message string) findings {
	return findings{
		gardencorev1beta1.ControllerInstallationInstalled:   conditions.False("InstallationPending", message),
		gardencorev1beta1.ControllerInstallationHealthy:     conditions.False("ControllerNotHealthy", message),
		gardencorev1beta1.ControllerInstallationProgressing: conditions.True("ControllerNotRolledOut", message),
	}
}

// reasonLeaving is the reason why an installation is not installed while its objects are removed.
const reasonLeaving = "DeletionPending"

func leaving(message string) findings {
	found := pending(message)
	found[gardencorev1beta1.ControllerInstallationInstalled] = conditions.False(reasonLeaving, message)
	return found
}

func message(condition *gardencorev1beta1.Condition) string {
	if condition == nil {
		return "The resource manager of the seed has not checked the objects of the chart yet."
	}
	return condition.Message
}
