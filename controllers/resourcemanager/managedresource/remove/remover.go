// Package remove deletes objects of ManagedResources from the target, or gives them up.
package remove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/origin"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Remover removes objects of one ManagedResource.
type Remover struct {
	Target client.Client // uncached
	Clock  clock.PassiveClock
	Owner  origin.Owner
	// GarbageCollected leaves Secrets and ConfigMaps that have the label of the garbage collector to the collector.
	GarbageCollected bool
	// KeepObjects gives up objects instead of deleting them.
	KeepObjects bool
	// DeleteVolumeClaims deletes the claims of StatefulSets, too.
	DeleteVolumeClaims bool
}

// Remove deletes the objects, last phase first, and returns those that still exist. It starts a phase only when the
// objects of later phases are gone.
func (r Remover) Remove(ctx context.Context, refs []resourcesv1alpha1.ObjectReference) ([]resourcesv1alpha1.ObjectReference, error) {
	sorted := slices.Clone(refs)
	slices.SortStableFunc(sorted, func(a, b resourcesv1alpha1.ObjectReference) int {
		return cmp.Compare(manifest.Phase(manifest.KindOf(b)), manifest.Phase(manifest.KindOf(a)))
	})
	var (
		remaining []resourcesv1alpha1.ObjectReference
		errs      []error
	)
	for i, ref := range sorted {
		if len(remaining) > 0 && manifest.Phase(manifest.KindOf(sorted[i-1])) != manifest.Phase(manifest.KindOf(ref)) {
			return append(remaining, sorted[i:]...), errors.Join(errs...)
		}
		gone, err := r.removeOne(ctx, ref)
		if err != nil {
			errs = append(errs, err)
		}
		if !gone {
			remaining = append(remaining, ref)
		}
	}
	return remaining, errors.Join(errs...)
}

func (r Remover) removeOne(ctx context.Context, ref resourcesv1alpha1.ObjectReference) (gone bool, err error) {
	live := &unstructured.Unstructured{}
	live.SetAPIVersion(ref.APIVersion)
	live.SetKind(ref.Kind)
	live.SetNamespace(ref.Namespace)
	live.SetName(ref.Name)
	if r.KeepObjects || manifest.Flag(ref.Annotations, resourcesv1alpha1.KeepObject) {
		err := r.Owner.Release(ctx, live)
		return err == nil, err
	}
	if err := r.Target.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return true, nil
		}
		return false, fmt.Errorf("read %s: %w", manifest.Describe(live), err)
	}
	if r.Owner.Disowned(live) || r.leftToCollector(live) {
		return true, nil
	}
	if live.GetDeletionTimestamp() != nil {
		return false, r.finalizeOverdue(ctx, live, ref)
	}
	if err := r.deleteVolumeClaims(ctx, live); err != nil {
		return false, err
	}
	if err := r.Target.Delete(ctx, live, client.Preconditions{UID: ptr.To(live.GetUID())}, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, fmt.Errorf("delete %s: %w", manifest.Describe(live), err)
	}
	return r.gone(ctx, live)
}

// leftToCollector reports whether the garbage collector deletes the object once nothing uses it any more.
func (r Remover) leftToCollector(live *unstructured.Unstructured) bool {
	kind := live.GroupVersionKind().GroupKind()
	return r.GarbageCollected && kind.Group == "" && (kind.Kind == "Secret" || kind.Kind == "ConfigMap") &&
		live.GetLabels()[resourcesv1alpha1.LabelKeyGarbageCollectable] == resourcesv1alpha1.LabelValueGarbageCollectable
}

// gone saves a second pass for the many objects that vanish at once.
func (r Remover) gone(ctx context.Context, object *unstructured.Unstructured) (bool, error) {
	err := r.Target.Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
