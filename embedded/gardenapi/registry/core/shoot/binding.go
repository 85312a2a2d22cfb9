package shoot

import (
	"context"
	"fmt"

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
	case before.Spec.SeedName != nil && *before.Spec.SeedName != "":
		if reason := unmovable(before, *s.Spec.SeedName); reason != "" {
			errs = append(errs, field.Forbidden(path, reason))
		}
	}
	if rest := withoutSeed(s, before); !apiequality.Semantic.DeepEqual(rest, before.Spec) {
		errs = append(errs, field.Forbidden(field.NewPath("spec"), "only seedName may change through shoots/binding"))
	}
	return errs
}

// unmovable says why the control plane of a shoot cannot move to another seed now; empty if it can. A move that has not begun may be
// taken back.
func unmovable(shoot *core.Shoot, to string) string {
	held, last := ptr.Deref(shoot.Status.SeedName, ""), shoot.Status.LastOperation
	begun := last != nil && (last.Type == core.LastOperationTypeMigrate ||
		last.Type == core.LastOperationTypeRestore && last.State != core.LastOperationStateSucceeded)
	switch {
	case shoot.DeletionTimestamp != nil:
		return "the shoot is being deleted"
	case begun:
		return "the control plane of the shoot is being migrated: wait until it is restored"
	case last == nil || last.Type == core.LastOperationTypeCreate && last.State != core.LastOperationStateSucceeded:
		return "the shoot has not been created yet: only a control plane that exists can move"
	case held != *shoot.Spec.SeedName && held != to:
		return fmt.Sprintf("the shoot is to move to seed %q: only its present seed %q can be chosen", *shoot.Spec.SeedName, held)
	}
	return ""
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
