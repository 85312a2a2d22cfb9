package shoot

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/seedlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Rules are the settings of the server that the strategy needs.
type Rules struct {
	// RotationInterval is the age of credentials after which users get a warning.
	RotationInterval time.Duration
	// NoAuthorityRotation refuses operations that rotate certificate authorities.
	NoAuthorityRotation bool
}

func (r Rules) strategy() resource.Strategy[*core.Shoot] {
	return resource.Strategy[*core.Shoot]{
		Namespaced:     true,
		Spec:           resource.Field(func(o *core.Shoot) *core.ShootSpec { return &o.Spec }),
		Status:         resource.Field(func(o *core.Shoot) *core.ShootStatus { return &o.Status }),
		PrepareCreate:  prepareCreate,
		PrepareUpdate:  prepareUpdate,
		KeepGeneration: isConfined,
		PrepareStatus:  prepareStatus,
		Warnings:       r.warnings,
		Validate: func(s *core.Shoot) field.ErrorList {
			return slices.Concat(validation.ValidateShoot(s), validateDomain(s, nil), r.validateRotation(s, nil))
		},
		ValidateUpdate: func(s, old *core.Shoot) field.ErrorList {
			return slices.Concat(validation.ValidateShootUpdate(s, old), validateSeedName(s, old), validateDomain(s, old), r.validateRotation(s, old))
		},
		ValidateStatus: validation.ValidateShootStatusUpdate,
	}
}

func prepareCreate(_ context.Context, s *core.Shoot) {
	helper.SyncCloudProfile(&s.Spec, nil)
	setSeedLabels(s)
}

func prepareUpdate(_ context.Context, s, old *core.Shoot) bool {
	helper.SyncCloudProfile(&s.Spec, &old.Spec)
	setSeedLabels(s)
	return takeOperation(s, old) || helper.ConfirmsForcedDeletion(s.Annotations) && !helper.ConfirmsForcedDeletion(old.Annotations)
}

func setSeedLabels(s *core.Shoot) { seedlabels.Set(s, s.Spec.SeedName, s.Status.SeedName) }

// takeOperation removes the operations that a new generation triggers, and reports whether the generation must be raised.
// Rotations stay until the gardenlet has started them.
func takeOperation(s, old *core.Shoot) bool {
	wanted := operation.Of(s)
	switch {
	case wanted == "":
		return false
	case wanted == constants.ShootOperationMaintain:
		return false
	case wanted == constants.GardenerOperationReconcile:
		operation.Set(s, "")
		return true
	case wanted == constants.ShootOperationRetry:
		operation.Set(s, "")
		return s.Status.LastOperation != nil && s.Status.LastOperation.State == core.LastOperationStateFailed
	}
	kept := helper.WithoutSwallowed(inNewWords(strings.Split(wanted, constants.GardenerOperationsSeparator)))
	if !helper.WantsSSHAccess(s) {
		kept = slices.DeleteFunc(kept, func(one string) bool { return one == constants.ShootOperationRotateSSHKeypair })
	}
	operation.Set(s, strings.Join(kept, constants.GardenerOperationsSeparator))
	return len(kept) > 0 && operation.Of(s) != operation.Of(old)
}

// isConfined reports whether changes of the spec wait for the maintenance window. A change of hibernation does not wait.
func isConfined(s, old *core.Shoot) bool {
	return helper.ConfinesChanges(s) && helper.HibernationIsEnabled(s) == helper.HibernationIsEnabled(old)
}

// prepareStatus keeps the identity of the shoot. It raises the generation when a migration has left the source seed.
func prepareStatus(_ context.Context, s, old *core.Shoot) bool {
	if old.Status.UID != "" {
		s.Status.UID = old.Status.UID
	}
	if old.Status.TechnicalID != "" {
		s.Status.TechnicalID = old.Status.TechnicalID
	}
	if old.Status.ClusterIdentity != nil {
		s.Status.ClusterIdentity = old.Status.ClusterIdentity
	}
	setSeedLabels(s)
	return helper.IsReleased(s.Status.LastOperation) && !helper.IsReleased(old.Status.LastOperation)
}

// validateDomain refuses domains under which everybody can have one, such as top-level domains and co.uk, since nobody else could have a
// domain below that of a shoot. A shoot of an older version keeps what it has. old is nil for a new shoot.
func validateDomain(s, old *core.Shoot) field.ErrorList {
	domain := domainOf(s)
	if domain == "" || old != nil && domain == domainOf(old) {
		return nil
	}
	path := field.NewPath("spec", "dns", "domain")
	if !strings.Contains(domain, ".") {
		return field.ErrorList{field.Invalid(path, domain, "must not be a top-level domain")}
	}
	// Suffixes that are not of a registry may belong to the operator of the landscape.
	if suffix, registry := publicsuffix.PublicSuffix(domain); registry && suffix == domain {
		return field.ErrorList{field.Invalid(path, domain, "must not be a public suffix; take a domain below it")}
	}
	return nil
}

func domainOf(s *core.Shoot) string {
	if s.Spec.DNS == nil {
		return ""
	}
	return ptr.Deref(s.Spec.DNS.Domain, "")
}

// validateSeedName reports changes of the seed through the main endpoint.
func validateSeedName(s, old *core.Shoot) field.ErrorList {
	if ptr.Equal(s.Spec.SeedName, old.Spec.SeedName) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec", "seedName"), "can be changed through the subresource shoots/binding only")}
}
