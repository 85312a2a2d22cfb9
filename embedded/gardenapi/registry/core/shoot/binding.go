package shoot

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// newBinding serves shoots/binding. The body is the Shoot, of which only the seed may change.
func newBinding(store *registry.Store) *resource.Subresource {
	return resource.NewSubresource(store, bindingStrategy{store.UpdateStrategy}, nil)
}

type bindingStrategy struct {
	rest.RESTUpdateStrategy
}

// PrepareForUpdate keeps the status, but removes the scheduler's message that it looks for a seed.
func (bindingStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	s, before := obj.(*core.Shoot), old.(*core.Shoot)
	s.Status = before.Status
	if o := s.Status.LastOperation; o != nil && o.Type == core.LastOperationTypeCreate && o.State == core.LastOperationStatePending {
		s.Status.LastOperation = nil
	}
	setSeedLabels(s)
	s.Generation = before.Generation
	if !apiequality.Semantic.DeepEqual(s.Spec, before.Spec) {
		s.Generation++
	}
}

func (bindingStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	s, before := obj.(*core.Shoot), old.(*core.Shoot)
	path := field.NewPath("spec", "seedName")
	var errs field.ErrorList
	switch {
	case s.Spec.SeedName == nil || *s.Spec.SeedName == "":
		errs = append(errs, field.Required(path, "a shoot cannot be taken from its seed"))
	case ptr.Equal(s.Spec.SeedName, before.Spec.SeedName):
		errs = append(errs, field.Invalid(path, *s.Spec.SeedName, "the shoot is bound to this seed already"))
	}
	if rest := withoutSeed(s, before); !apiequality.Semantic.DeepEqual(rest, before.Spec) {
		errs = append(errs, field.Forbidden(field.NewPath("spec"), "only seedName may change through shoots/binding"))
	}
	return errs
}

// withoutSeed returns the spec without the seed and without the fields that admission sets once the seed is known.
func withoutSeed(s, before *core.Shoot) core.ShootSpec {
	spec := *s.Spec.DeepCopy()
	spec.SeedName = before.Spec.SeedName
	if before.Spec.DNS == nil {
		spec.DNS = nil
	}
	networking := ptr.Deref(before.Spec.Networking, core.Networking{})
	if spec.Networking != nil && networking.Pods == nil {
		spec.Networking.Pods = nil
	}
	if spec.Networking != nil && networking.Services == nil {
		spec.Networking.Services = nil
	}
	// A shoot without workers may have come without networking at all.
	if before.Spec.Networking == nil && apiequality.Semantic.DeepEqual(spec.Networking, &core.Networking{}) {
		spec.Networking = nil
	}
	return spec
}

func (bindingStrategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
