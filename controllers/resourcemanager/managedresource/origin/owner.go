// Package origin tells by the marks of an object whether it belongs to a ManagedResource, and takes the marks off.
package origin

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Owner is a ManagedResource as the owner of objects.
type Owner struct {
	Target client.Client
	Origin string // value of the origin annotation
}

// Release removes our marks from an object that stays in the target but is no longer managed. It leaves objects alone
// that carry the marks of another ManagedResource.
func (o Owner) Release(ctx context.Context, object *unstructured.Unstructured) error {
	live := manifest.EmptyLike(object)
	if err := o.Target.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return nil
		}
		return fmt.Errorf("read %s: %w", manifest.Describe(object), err)
	}
	if live.GetAnnotations()[resourcesv1alpha1.OriginAnnotation] != o.Origin {
		return nil
	}
	patch := []byte(`{"metadata":{"annotations":{"` + resourcesv1alpha1.OriginAnnotation + `":null},"labels":{"` + resourcesv1alpha1.ManagedBy + `":null}}}`)
	if err := o.Target.Patch(ctx, live, client.RawPatch(types.MergePatchType, patch)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release %s: %w", manifest.Describe(object), err)
	}
	return nil
}

// Disowned reports whether the object must no longer be deleted: it asks to be kept, or another ManagedResource has
// taken it over.
func (o Owner) Disowned(live *unstructured.Unstructured) bool {
	annotations := live.GetAnnotations()
	if manifest.Flag(annotations, resourcesv1alpha1.KeepObject) || manifest.InMode(annotations, resourcesv1alpha1.ModeIgnore) {
		return true
	}
	origin := annotations[resourcesv1alpha1.OriginAnnotation]
	return origin != "" && origin != o.Origin
}
