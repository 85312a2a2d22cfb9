package managedresource

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// prune deletes the objects that the status lists and the ManagedResource no longer describes. It returns those that
// still exist.
func (p *pass) prune(ctx context.Context, desired []*unstructured.Unstructured) ([]resourcesv1alpha1.ObjectReference, error) {
	wanted := map[string]bool{}
	for _, object := range desired {
		kind := object.GroupVersionKind().GroupKind()
		wanted[manifest.Identity(object)] = true
		for _, other := range p.equivalents(kind) {
			wanted[manifest.Key(other, object.GetNamespace(), object.GetName())] = true
		}
	}
	obsolete := slices.DeleteFunc(slices.Clone(p.resource.Status.Resources), func(ref resourcesv1alpha1.ObjectReference) bool {
		return wanted[manifest.Referred(ref)]
	})
	return p.remove(ctx, obsolete)
}

func (p *pass) equivalents(kind schema.GroupKind) []schema.GroupKind {
	var result []schema.GroupKind
	for _, set := range p.resource.Spec.Equivalences {
		if slices.Contains(set, metav1.GroupKind(kind)) {
			for _, other := range set {
				result = append(result, schema.GroupKind(other))
			}
		}
	}
	return result
}

// remove deletes the objects, last phase first, and returns those that still exist. It starts a phase only when the
// objects of later phases are gone.
func (p *pass) remove(ctx context.Context, refs []resourcesv1alpha1.ObjectReference) ([]resourcesv1alpha1.ObjectReference, error) {
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
		gone, err := p.removeOne(ctx, ref)
		if err != nil {
			errs = append(errs, err)
		}
		if !gone {
			remaining = append(remaining, ref)
		}
	}
	return remaining, errors.Join(errs...)
}

func (p *pass) removeOne(ctx context.Context, ref resourcesv1alpha1.ObjectReference) (gone bool, err error) {
	live := &unstructured.Unstructured{}
	live.SetAPIVersion(ref.APIVersion)
	live.SetKind(ref.Kind)
	live.SetNamespace(ref.Namespace)
	live.SetName(ref.Name)
	if ptr.Deref(p.resource.Spec.KeepObjects, false) || manifest.Flag(ref.Annotations, resourcesv1alpha1.KeepObject) {
		err := p.owner.Release(ctx, live)
		return err == nil, err
	}
	if err := p.Target.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return true, nil
		}
		return false, fmt.Errorf("read %s: %w", manifest.Describe(live), err)
	}
	if p.owner.Disowned(live) || p.leftToCollector(live) {
		return true, nil
	}
	if live.GetDeletionTimestamp() != nil {
		return false, p.finalizeOverdue(ctx, live, ref)
	}
	if err := p.deleteVolumeClaims(ctx, live); err != nil {
		return false, err
	}
	if err := p.Target.Delete(ctx, live, client.Preconditions{UID: ptr.To(live.GetUID())}, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, fmt.Errorf("delete %s: %w", manifest.Describe(live), err)
	}
	return p.gone(ctx, live)
}

// leftToCollector reports whether the garbage collector deletes the object once nothing uses it any more.
func (p *pass) leftToCollector(live *unstructured.Unstructured) bool {
	kind := live.GroupVersionKind().GroupKind()
	return p.GarbageCollected && kind.Group == "" && (kind.Kind == "Secret" || kind.Kind == "ConfigMap") &&
		live.GetLabels()[resourcesv1alpha1.LabelKeyGarbageCollectable] == resourcesv1alpha1.LabelValueGarbageCollectable
}

// gone saves a second pass for the many objects that vanish at once.
func (p *pass) gone(ctx context.Context, object *unstructured.Unstructured) (bool, error) {
	err := p.Target.Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
