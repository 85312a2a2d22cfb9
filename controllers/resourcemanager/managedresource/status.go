package managedresource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// reasonCannotReadSecret says that a referenced Secret is missing or unreadable.
const reasonCannotReadSecret = "CannotReadSecret"

func (p *pass) applied(status gardencorev1beta1.ConditionStatus, reason, message string) {
	p.set(resourcesv1alpha1.ResourcesApplied, status, reason, message)
}

func (p *pass) checksPending(message string) {
	p.set(resourcesv1alpha1.ResourcesHealthy, gardencorev1beta1.ConditionUnknown, resourcesv1alpha1.ConditionChecksPending, message)
	p.set(resourcesv1alpha1.ResourcesProgressing, gardencorev1beta1.ConditionUnknown, resourcesv1alpha1.ConditionChecksPending, message)
}

func (p *pass) reportIgnored() {
	const message = "The ManagedResource is marked to be ignored."
	p.set(resourcesv1alpha1.ResourcesApplied, gardencorev1beta1.ConditionTrue, resourcesv1alpha1.ConditionManagedResourceIgnored, message)
	p.set(resourcesv1alpha1.ResourcesHealthy, gardencorev1beta1.ConditionTrue, resourcesv1alpha1.ConditionManagedResourceIgnored, message)
	p.set(resourcesv1alpha1.ResourcesProgressing, gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionManagedResourceIgnored, message)
}

// judge sets the conditions about health and roll-out from the live objects, and reports whether everything is healthy
// and rolled out.
func (p *pass) judge(live []*unstructured.Unstructured) (settled bool) {
	sick := p.judgeOne(resourcesv1alpha1.ResourcesHealthy, live, health.Check, verdict{
		goodStatus: gardencorev1beta1.ConditionTrue, goodReason: resourcesv1alpha1.ConditionResourcesHealthy, goodMessage: "All resources are healthy.",
		badStatus: gardencorev1beta1.ConditionFalse, badSuffix: "Unhealthy",
	})
	moving := p.judgeOne(resourcesv1alpha1.ResourcesProgressing, live, health.RolledOut, verdict{
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

func (p *pass) judgeOne(conditionType gardencorev1beta1.ConditionType, live []*unstructured.Unstructured, check func(*unstructured.Unstructured) error, v verdict) (bad bool) {
	for _, object := range live {
		if manifest.Flag(object.GetAnnotations(), resourcesv1alpha1.SkipHealthCheck) {
			continue
		}
		if err := check(object); err != nil {
			p.set(conditionType, v.badStatus, object.GetKind()+v.badSuffix, fmt.Sprintf("%s: %v", manifest.Describe(object), err))
			return true
		}
	}
	p.set(conditionType, v.goodStatus, v.goodReason, v.goodMessage)
	return false
}

func (p *pass) set(conditionType gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus, reason, message string) {
	p.resource.Status.Conditions = conditions.Set(p.resource.Status.Conditions, conditionType,
		conditions.Finding{Status: status, Reason: reason, Message: message}, p.Clock.Now())
}

// sinceTransition returns the time since the last change of the status of a condition.
func (p *pass) sinceTransition() time.Duration {
	var last time.Time
	for _, condition := range p.resource.Status.Conditions {
		if condition.LastTransitionTime.After(last) {
			last = condition.LastTransitionTime.Time
		}
	}
	return p.Clock.Since(last)
}

// appliedBefore reports whether an earlier pass applied exactly this content completely.
func (p *pass) appliedBefore(checksum string) bool {
	status := p.resource.Status
	return status.ObservedGeneration == p.resource.Generation && status.SecretsDataChecksum != nil && *status.SecretsDataChecksum == checksum
}

// announce lists objects in the status before they are written. No object is forgotten, whatever happens afterwards. It
// removes the checksum, since from now on the target is between the old and the new content.
func (p *pass) announce(ctx context.Context, desired []*unstructured.Unstructured) error {
	if p.resource.Status.ObservedGeneration == 0 { // users may look before the first pass ends
		p.applied(gardencorev1beta1.ConditionProgressing, resourcesv1alpha1.ConditionApplyProgressing, "The resources are being applied.")
	}
	p.record(desired, p.resource.Status.Resources)
	p.resource.Status.SecretsDataChecksum = nil
	return p.saveStatus(ctx)
}

// record makes the status list the desired objects and the removed objects that still exist.
func (p *pass) record(desired []*unstructured.Unstructured, others []resourcesv1alpha1.ObjectReference) {
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
	p.resource.Status.Resources = refs
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
