package shootvalidator

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/bindings"
)

// checkCredentials refuses credentials for another provider.
func (p *Plugin) checkCredentials(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	reference := bindings.Of(&shoot.Spec)
	if reference.Name == "" || old != nil && bindings.Of(&old.Spec) == reference {
		return nil
	}
	binding, err := bindings.Get(ctx, p.Objects, shoot.Namespace, reference)
	switch {
	case apierrors.IsNotFound(err): // ResourceReferenceManager refuses it
		return nil
	case err != nil:
		return field.ErrorList{field.InternalError(reference.Field(), err)}
	case len(binding.Types) > 0 && !slices.Contains(binding.Types, shoot.Spec.Provider.Type):
		return field.ErrorList{field.Invalid(reference.Field(), reference.Name, fmt.Sprintf("is for providers %v, not for %q", binding.Types, shoot.Spec.Provider.Type))}
	default:
		return nil
	}
}
