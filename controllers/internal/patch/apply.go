package patch

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// Applier applies objects as the only owner of the fields it sets.
type Applier struct {
	Client client.Client
	// Owner is the field manager.
	Owner client.FieldOwner
	// Pods signs the pods of the objects; nil signs none.
	Pods *podsignature.Signer
}

// Apply makes the cluster have the object with the given fields. It removes fields that it set earlier and no longer
// sets. It returns a new object with the state on the server.
func (a Applier) Apply(ctx context.Context, object client.Object) (*unstructured.Unstructured, error) {
	if err := a.Pods.Object(object); err != nil {
		return nil, err
	}
	desired, err := a.unstructured(object)
	if err != nil {
		return nil, err
	}
	if err := a.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(desired), a.Owner, client.ForceOwnership); err != nil {
		return nil, fmt.Errorf("apply %s: %w", describe(desired), err)
	}
	return desired, nil
}

// ApplyAll applies the objects in order.
func (a Applier) ApplyAll(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if _, err := a.Apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// unstructured drops what a writer of the spec must not own: the status, and fields that only the server sets.
func (a Applier) unstructured(object client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(object, a.Client.Scheme())
	if err != nil {
		return nil, fmt.Errorf("find kind of %T: %w", object, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("convert %T: %w", object, err)
	}
	desired := &unstructured.Unstructured{Object: content}
	desired.SetGroupVersionKind(gvk)
	delete(desired.Object, "status")
	for _, field := range []string{"resourceVersion", "uid", "generation", "managedFields", "creationTimestamp"} {
		unstructured.RemoveNestedField(desired.Object, "metadata", field)
	}
	prune(desired.Object)
	return desired, nil
}

// opaque are fields that contain raw content, which must reach its reader unchanged.
var opaque = map[string]bool{"providerConfig": true, "infrastructureProviderStatus": true}

// prune removes nulls. Go types write them for empty times and slices, and owning a null would remove the default.
func prune(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for key, item := range typed {
			if opaque[key] && item != nil {
				continue
			}
			if item == nil {
				delete(typed, key)
				continue
			}
			prune(item)
		}
	case []any:
		for _, item := range typed {
			prune(item)
		}
	}
}

func describe(object *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %q", object.GetKind(), client.ObjectKeyFromObject(object))
}
