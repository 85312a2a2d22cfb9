package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// statusStrategy handles /status: it keeps spec and metadata as stored.
type statusStrategy[T Object] struct {
	*mainStrategy[T]
}

func (s statusStrategy[T]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	object, before := obj.(T), old.(T)
	keepMetadata(object, before)
	if s.rules.Spec.exists() {
		s.rules.Spec.Copy(object, before)
	}
	raise := s.rules.PrepareStatus != nil && s.rules.PrepareStatus(ctx, object, before)
	setGeneration(object, before, raise)
}

// keepMetadata restores the metadata except managedFields and resourceVersion, which the library has to change.
func keepMetadata(to, from Object) {
	to.SetLabels(from.GetLabels())
	to.SetAnnotations(from.GetAnnotations())
	to.SetFinalizers(from.GetFinalizers())
	to.SetOwnerReferences(from.GetOwnerReferences())
}

func (s statusStrategy[T]) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	if s.rules.ValidateStatus == nil {
		return nil
	}
	return fewerrors.Of(s.rules.ValidateStatus(obj.(T), old.(T)))
}

func (s statusStrategy[T]) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

func (s statusStrategy[T]) Canonicalize(runtime.Object) {}
