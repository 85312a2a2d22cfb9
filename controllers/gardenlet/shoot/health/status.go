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

// RolledOut returns an error that says what is missing until a Deployment is rolled out, or nil.
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

// Available returns an error that says what is missing until a Deployment serves, or nil; an unfinished rollout does
// not matter.
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

// Etcd returns an error that says what is missing until an etcd is up to date and ready, or nil.
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

// ManagedResource returns the reason and the message of the problem of a ManagedResource; both are empty if there is
// none.
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
