package health

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// RolledOut tells what is missing until a Deployment is as described; nil if nothing is.
func RolledOut(d *appsv1.Deployment) error {
	want := ptr.Deref(d.Spec.Replicas, 1)
	switch s := d.Status; {
	case s.ObservedGeneration < d.Generation:
		return fmt.Errorf("generation %d has not been observed yet", d.Generation)
	case s.UpdatedReplicas < want:
		return fmt.Errorf("%d of %d pods are up to date", s.UpdatedReplicas, want)
	case s.AvailableReplicas < want:
		return fmt.Errorf("%d of %d pods are available", s.AvailableReplicas, want)
	case s.Replicas > want:
		return fmt.Errorf("%d old pods are left", s.Replicas-want)
	}
	return nil
}

// Available tells what is missing until a Deployment serves; a rollout that goes on does not matter.
func Available(d *appsv1.Deployment) error {
	want := ptr.Deref(d.Spec.Replicas, 1)
	switch s := d.Status; {
	case s.ObservedGeneration < d.Generation:
		return fmt.Errorf("generation %d has not been observed yet", d.Generation)
	case s.AvailableReplicas < want:
		return fmt.Errorf("%d of %d pods are available", s.AvailableReplicas, want)
	}
	return nil
}

// Etcd tells what is missing until an etcd is as described and ready; nil if nothing is.
func Etcd(e *druidv1alpha1.Etcd) error {
	switch {
	case e.Annotations[constants.GardenerOperation] != "":
		return fmt.Errorf("operation %q has not been picked up yet", e.Annotations[constants.GardenerOperation])
	case e.Status.ObservedGeneration == nil || *e.Status.ObservedGeneration != e.Generation:
		return fmt.Errorf("generation %d has not been observed yet", e.Generation)
	case ptr.Deref(e.Status.Ready, false):
		return nil
	case len(e.Status.LastErrors) > 0:
		return fmt.Errorf("not ready: %s", e.Status.LastErrors[len(e.Status.LastErrors)-1].Description)
	}
	return errors.New("not ready")
}

// ManagedResource returns the reason and the text of what is wrong with a ManagedResource; both are empty if nothing is.
func ManagedResource(m *resourcesv1alpha1.ManagedResource) (reason, message string) {
	if m.Status.ObservedGeneration != m.Generation {
		return "OutdatedStatus", fmt.Sprintf("managed resource %q: generation %d has not been observed yet", m.Name, m.Generation)
	}
	for _, kind := range []gardencorev1beta1.ConditionType{resourcesv1alpha1.ResourcesApplied, resourcesv1alpha1.ResourcesHealthy} {
		condition := conditions.Get(m.Status.Conditions, kind)
		if condition == nil {
			return "MissingManagedResourceCondition", fmt.Sprintf("managed resource %q: condition %q is missing", m.Name, kind)
		}
		if condition.Status != gardencorev1beta1.ConditionTrue {
			return condition.Reason, fmt.Sprintf("managed resource %q: %s", m.Name, condition.Message)
		}
	}
	return "", ""
}
