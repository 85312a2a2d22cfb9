package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/origin"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// fieldOwner is the field manager of managed objects.
const fieldOwner = client.FieldOwner("gardener-resource-manager")

// Writer writes single objects of one ManagedResource.
type Writer struct {
	Target client.Client // uncached
	Owner  origin.Owner
	// Tracked has the identities of the objects that the status listed before. Others are written without reading them.
	Tracked map[string]bool
	// Unchanged means that the content was applied before, so that it is enough to check for changes by others.
	Unchanged bool
	// ForceLabels and ForceAnnotations say that the ManagedResource claims all labels or annotations of its objects.
	ForceLabels, ForceAnnotations bool
}

// Write writes one object if it differs and returns its state in the target. It returns nil for objects whose health
// this resource manager must not judge.
func (w Writer) Write(ctx context.Context, desired *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if manifest.InMode(desired.GetAnnotations(), resourcesv1alpha1.ModeIgnore) {
		return nil, w.Owner.Release(ctx, desired)
	}
	live, err := w.read(ctx, desired)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", manifest.Describe(desired), err)
	case live == nil:
	case manifest.Flag(desired.GetAnnotations(), resourcesv1alpha1.Ignore):
		return live, nil
	default:
		current, err := w.settled(ctx, desired, live)
		if current || err != nil {
			return live, err
		}
	}
	applied, err := w.apply(ctx, desired)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", manifest.Describe(desired), err)
	}
	return applied, w.dropForeignMetadata(ctx, desired, applied)
}

// settled reports whether nothing has to be written. Otherwise it copies the fields that autoscalers own to desired.
func (w Writer) settled(ctx context.Context, desired, live *unstructured.Unstructured) (bool, error) {
	asIs := func() bool {
		return w.Unchanged && manifest.Satisfied(desired.Object, live.Object) && !w.hasForeignMetadata(desired, live)
	}
	if asIs() {
		return true, nil
	}
	owned, err := scaled(ctx, w.Target, desired) // only now, since it needs requests
	if err != nil {
		return false, fmt.Errorf("%s: %w", manifest.Describe(desired), err)
	}
	manifest.Preserve(desired, live, owned)
	return asIs(), nil
}

// read returns nil if the object does not exist, or if its live state does not matter. An object that the status does
// not list is written without reading it first, unless its live state decides what to write.
func (w Writer) read(ctx context.Context, desired *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	depends := manifest.Scalable(desired) || manifest.Flag(desired.GetAnnotations(), resourcesv1alpha1.Ignore)
	if !w.Tracked[manifest.Identity(desired)] && !depends {
		return nil, nil
	}
	live := manifest.EmptyLike(desired)
	if err := w.Target.Get(ctx, client.ObjectKeyFromObject(desired), live); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return live, nil
}

func (w Writer) apply(ctx context.Context, desired *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	applied := desired.DeepCopy()
	err := w.Target.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), fieldOwner, client.ForceOwnership)
	if err == nil || !apierrors.IsInvalid(err) || !manifest.Flag(desired.GetAnnotations(), resourcesv1alpha1.DeleteOnInvalidUpdate) {
		return applied, err
	}
	live := manifest.EmptyLike(desired)
	if getErr := w.Target.Get(ctx, client.ObjectKeyFromObject(desired), live); getErr != nil {
		return nil, errors.Join(err, client.IgnoreNotFound(getErr)) // the content is invalid even without an existing object
	}
	// Without a policy the pods of a Job would stay for good.
	way := []client.DeleteOption{client.Preconditions{UID: ptr.To(live.GetUID())}, client.PropagationPolicy(metav1.DeletePropagationBackground)}
	if err := client.IgnoreNotFound(w.Target.Delete(ctx, live, way...)); err != nil {
		return nil, fmt.Errorf("delete after invalid update: %w", err)
	}
	applied = desired.DeepCopy()
	return applied, w.Target.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), fieldOwner, client.ForceOwnership)
}

// hasForeignMetadata reports whether labels or annotations must be removed because the ManagedResource claims all of
// them.
func (w Writer) hasForeignMetadata(desired, live *unstructured.Unstructured) bool {
	labels, annotations := w.foreignMetadata(desired, live)
	return len(labels)+len(annotations) > 0
}

func (w Writer) dropForeignMetadata(ctx context.Context, desired, live *unstructured.Unstructured) error {
	labels, annotations := w.foreignMetadata(desired, live)
	if len(labels)+len(annotations) == 0 {
		return nil
	}
	metadata := map[string]any{} // leave out empty maps: null would remove everything
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encode patch: %w", err)
	}
	if err := w.Target.Patch(ctx, live, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return fmt.Errorf("overwrite labels and annotations of %s: %w", manifest.Describe(desired), err)
	}
	return nil
}

// foreignMetadata returns the keys to remove, with nil values for a merge patch.
func (w Writer) foreignMetadata(desired, live *unstructured.Unstructured) (labels, annotations map[string]any) {
	if w.ForceLabels {
		labels = surplus(desired.GetLabels(), live.GetLabels())
	}
	if w.ForceAnnotations {
		annotations = surplus(desired.GetAnnotations(), live.GetAnnotations())
	}
	return labels, annotations
}

func surplus(desired, live map[string]string) map[string]any {
	result := map[string]any{}
	for key := range maps.Keys(live) {
		if _, wanted := desired[key]; !wanted {
			result[key] = nil
		}
	}
	return result
}
