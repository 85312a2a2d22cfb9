package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage/names"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/rawextension"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// mainStrategy handles the main endpoint of a kind.
type mainStrategy[T Object] struct {
	runtime.ObjectTyper
	names.NameGenerator
	rules Strategy[T]
	zero  T // never changed
}

func newStrategy[T Object](d Definition[T], typer runtime.ObjectTyper) *mainStrategy[T] {
	return &mainStrategy[T]{ObjectTyper: typer, NameGenerator: names.SimpleNameGenerator, rules: d.Strategy, zero: d.New()}
}

func (s *mainStrategy[T]) NamespaceScoped() bool          { return s.rules.Namespaced }
func (s *mainStrategy[T]) AllowCreateOnUpdate() bool      { return false }
func (s *mainStrategy[T]) AllowUnconditionalUpdate() bool { return s.rules.UnconditionalUpdate }

func (s *mainStrategy[T]) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	object := obj.(T)
	object.SetGeneration(1)
	if s.rules.Status.exists() {
		s.rules.Status.Copy(object, s.zero)
	}
	if s.rules.PrepareCreate != nil {
		s.rules.PrepareCreate(ctx, object)
	}
}

func (s *mainStrategy[T]) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	object, before := obj.(T), old.(T)
	if s.rules.Status.exists() {
		s.rules.Status.Copy(object, before)
	}
	raise := s.rules.PrepareUpdate != nil && s.rules.PrepareUpdate(ctx, object, before)
	setGeneration(object, before, raise || s.specRaises(object, before))
}

func (s *mainStrategy[T]) specRaises(object, before T) bool {
	if !s.rules.Spec.exists() || s.rules.Spec.Same(object, before) {
		return false
	}
	return s.rules.KeepGeneration == nil || !s.rules.KeepGeneration(object, before)
}

func setGeneration[T Object](object, before T, raise bool) {
	generation := before.GetGeneration()
	if raise {
		generation++
	}
	object.SetGeneration(generation)
}

func (s *mainStrategy[T]) Validate(_ context.Context, obj runtime.Object) (errs field.ErrorList) {
	if s.rules.Validate != nil {
		errs = s.rules.Validate(obj.(T))
	}
	if !s.rules.CarriesAnything {
		errs = append(errs, rawextension.Validate(obj, nil)...)
	}
	return fewerrors.Of(errs)
}

func (s *mainStrategy[T]) ValidateUpdate(_ context.Context, obj, old runtime.Object) (errs field.ErrorList) {
	if s.rules.ValidateUpdate != nil {
		errs = s.rules.ValidateUpdate(obj.(T), old.(T))
	}
	if !s.rules.CarriesAnything {
		errs = append(errs, rawextension.Validate(obj, old)...)
	}
	return fewerrors.Of(errs)
}

func (s *mainStrategy[T]) Canonicalize(obj runtime.Object) {
	if s.rules.Canonicalize != nil {
		s.rules.Canonicalize(obj.(T))
	}
}

func (s *mainStrategy[T]) WarningsOnCreate(ctx context.Context, obj runtime.Object) []string {
	var none T
	return s.warnings(ctx, obj.(T), none)
}

func (s *mainStrategy[T]) WarningsOnUpdate(ctx context.Context, obj, old runtime.Object) []string {
	return s.warnings(ctx, obj.(T), old.(T))
}

func (s *mainStrategy[T]) warnings(ctx context.Context, object, before T) []string {
	if s.rules.Warnings == nil {
		return nil
	}
	return s.rules.Warnings(ctx, object, before)
}
