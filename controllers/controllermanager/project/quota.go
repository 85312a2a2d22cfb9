package project

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// QuotaName is the name of the ResourceQuota in the namespaces of projects.
const QuotaName = "gardener"

// Quota limits the namespaces of the selected projects.
type Quota struct {
	Template corev1.ResourceQuota
	Selector labels.Selector
}

// DesiredQuota merges the template into the existing ResourceQuota, which may be nil. Existing values win, and values
// that only the template has are added. Operators can therefore raise the limits of single projects.
func DesiredQuota(existing, template *corev1.ResourceQuota, namespace string) *corev1.ResourceQuota {
	if existing == nil {
		existing = &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: QuotaName}, Spec: *template.Spec.DeepCopy()}
	}
	desired := existing.DeepCopy()
	desired.Labels = labels.Merge(desired.Labels, template.Labels)
	desired.Annotations = labels.Merge(desired.Annotations, template.Annotations)
	for resource, amount := range template.Spec.Hard {
		if _, said := desired.Spec.Hard[resource]; said {
			continue
		}
		if desired.Spec.Hard == nil {
			desired.Spec.Hard = corev1.ResourceList{}
		}
		desired.Spec.Hard[resource] = amount
	}
	return desired
}

// ensureQuota applies the first quota that selects the project. Without one it does nothing, and leaves an existing
// ResourceQuota in place.
func (r *Reconciler) ensureQuota(ctx context.Context, project *gardencorev1beta1.Project, namespace string) error {
	for i := range r.Quotas {
		if r.Quotas[i].Selector.Matches(labels.Set(project.Labels)) {
			return r.writeQuota(ctx, &r.Quotas[i].Template, namespace)
		}
	}
	return nil
}

func (r *Reconciler) writeQuota(ctx context.Context, template *corev1.ResourceQuota, namespace string) error {
	existing := &corev1.ResourceQuota{}
	err := r.Reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: QuotaName}, existing)
	if apierrors.IsNotFound(err) {
		existing, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("read resource quota of namespace %q: %w", namespace, err)
	}
	desired := DesiredQuota(existing, template, namespace)
	switch {
	case existing == nil:
		err = r.Client.Create(ctx, desired)
	case !equality.Semantic.DeepEqual(existing, desired):
		err = r.Client.Patch(ctx, desired, client.MergeFromWithOptions(existing, client.MergeFromWithOptimisticLock{}))
	}
	if err != nil {
		return fmt.Errorf("write resource quota of namespace %q: %w", namespace, err)
	}
	return nil
}
