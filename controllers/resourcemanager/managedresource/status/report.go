// Package status writes down in the status of a ManagedResource what a pass found. It reaches no cluster.
package status

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// CannotReadSecret is the reason that a referenced Secret is missing or unreadable.
const CannotReadSecret = "CannotReadSecret"

// Report collects the new status in a ManagedResource.
type Report struct {
	Resource *resourcesv1alpha1.ManagedResource
	Clock    clock.PassiveClock
}

// Applied sets the condition about applying the objects.
func (r Report) Applied(status gardencorev1beta1.ConditionStatus, reason, message string) {
	r.set(resourcesv1alpha1.ResourcesApplied, status, reason, message)
}

// ChecksPending says that neither health nor roll-out are known yet.
func (r Report) ChecksPending(message string) {
	r.set(resourcesv1alpha1.ResourcesHealthy, gardencorev1beta1.ConditionUnknown, resourcesv1alpha1.ConditionChecksPending, message)
	r.set(resourcesv1alpha1.ResourcesProgressing, gardencorev1beta1.ConditionUnknown, resourcesv1alpha1.ConditionChecksPending, message)
}

// Ignored says that nothing is done for the ManagedResource.
func (r Report) Ignored() {
	const message = "The ManagedResource is marked to be ignored."
	r.set(resourcesv1alpha1.ResourcesApplied, gardencorev1beta1.ConditionTrue, resourcesv1alpha1.ConditionManagedResourceIgnored, message)
	r.set(resourcesv1alpha1.ResourcesHealthy, gardencorev1beta1.ConditionTrue, resourcesv1alpha1.ConditionManagedResourceIgnored, message)
	r.set(resourcesv1alpha1.ResourcesProgressing, gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionManagedResourceIgnored, message)
}

// Judge sets the conditions about health and roll-out from the live objects, and reports whether everything is healthy
// and rolled out.
func (r Report) Judge(live []*unstructured.Unstructured) (settled bool) {
	sick := r.judgeOne(resourcesv1alpha1.ResourcesHealthy, live, health.Check, verdict{
		goodStatus: gardencorev1beta1.ConditionTrue, goodReason: resourcesv1alpha1.ConditionResourcesHealthy, goodMessage: "All resources are healthy.",
		badStatus: gardencorev1beta1.ConditionFalse, badSuffix: "Unhealthy",
	})
	moving := r.judgeOne(resourcesv1alpha1.ResourcesProgressing, live, health.RolledOut, verdict{
		goodStatus: gardencorev1beta1.ConditionFalse, goodReason: resourcesv1alpha1.ConditionResourcesRolledOut, goodMessage: "All resources have been fully rolled out.",
		badStatus: gardencorev1beta1.ConditionTrue, badSuffix: "Progressing",
	})
	return !sick && !moving
}

// verdict describes a condition: for the case that all objects pass a check, and for the case that one fails.
type verdict struct {
	goodStatus              gardencorev1beta1.ConditionStatus
	goodReason, goodMessage string
	badStatus               gardencorev1beta1.ConditionStatus
	badSuffix               string // suffix of the reason, after the kind
}

func (r Report) judgeOne(conditionType gardencorev1beta1.ConditionType, live []*unstructured.Unstructured, check func(*unstructured.Unstructured) error, v verdict) (bad bool) {
	for _, object := range live {
		if manifest.Flag(object.GetAnnotations(), resourcesv1alpha1.SkipHealthCheck) {
			continue
		}
		if err := check(object); err != nil {
			r.set(conditionType, v.badStatus, object.GetKind()+v.badSuffix, fmt.Sprintf("%s: %v", manifest.Describe(object), err))
			return true
		}
	}
	r.set(conditionType, v.goodStatus, v.goodReason, v.goodMessage)
	return false
}

func (r Report) set(conditionType gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus, reason, message string) {
	r.Resource.Status.Conditions = conditions.Set(r.Resource.Status.Conditions, conditionType,
		conditions.Finding{Status: status, Reason: reason, Message: message}, r.Clock.Now())
}

// SinceTransition returns the time since the last change of the status of a condition.
func (r Report) SinceTransition() time.Duration {
	var last time.Time
	for _, condition := range r.Resource.Status.Conditions {
		if condition.LastTransitionTime.After(last) {
			last = condition.LastTransitionTime.Time
		}
	}
	return r.Clock.Since(last)
}

// Listed returns the identities of the objects that the status lists.
func (r Report) Listed() map[string]bool {
	listed := make(map[string]bool, len(r.Resource.Status.Resources))
	for _, ref := range r.Resource.Status.Resources {
		listed[manifest.Referred(ref)] = true
	}
	return listed
}

// AppliedBefore reports whether an earlier pass applied exactly this content completely.
func (r Report) AppliedBefore(checksum string) bool {
	status := r.Resource.Status
	return status.ObservedGeneration == r.Resource.Generation && status.SecretsDataChecksum != nil && *status.SecretsDataChecksum == checksum
}

// Record makes the status list the desired objects and the removed objects that still exist.
func (r Report) Record(desired []*unstructured.Unstructured, others []resourcesv1alpha1.ObjectReference) {
	refs := make([]resourcesv1alpha1.ObjectReference, 0, len(desired)+len(others))
	known := map[string]bool{}
	for _, object := range desired {
		known[manifest.Identity(object)] = true
		if object.GetAnnotations()[resourcesv1alpha1.Mode] != resourcesv1alpha1.ModeIgnore {
			refs = append(refs, reference(object))
		}
	}
	for _, ref := range others {
		if !known[manifest.Referred(ref)] {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, func(a, b resourcesv1alpha1.ObjectReference) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	r.Resource.Status.Resources = refs
}

// reference leaves out the marks that every managed object has, since they would make up half of the status.
func reference(object *unstructured.Unstructured) resourcesv1alpha1.ObjectReference {
	return resourcesv1alpha1.ObjectReference{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(),
		Namespace: object.GetNamespace(), Name: object.GetName(),
		Labels:      without(object.GetLabels(), resourcesv1alpha1.ManagedBy),
		Annotations: without(object.GetAnnotations(), resourcesv1alpha1.OriginAnnotation),
	}
}

// without changes its argument, which must be a copy.
func without(copied map[string]string, key string) map[string]string {
	delete(copied, key)
	if len(copied) == 0 {
		return nil
	}
	return copied
}
