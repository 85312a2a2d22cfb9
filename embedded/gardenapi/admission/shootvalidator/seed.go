package shootvalidator

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// checkBindingAllowed lets only those choose the seed of a new shoot, or order that a seed takes a shoot by force, who may also assign
// existing ones.
func (p *Plugin) checkBindingAllowed(ctx context.Context, a admission.Attributes, shoot, old *core.Shoot) field.ErrorList {
	var path *field.Path
	switch {
	case old == nil && shoot.Spec.SeedName != nil:
		path = field.NewPath("spec", "seedName")
	case shoot.Annotations[constants.ShootForceRestore] == "true" && (old == nil || old.Annotations[constants.ShootForceRestore] != "true"):
		path = field.NewPath("metadata", "annotations").Key(constants.ShootForceRestore)
	default:
		return nil
	}
	allowed, err := p.May(ctx, a.GetUserInfo(), initializer.Question{
		Verb: "update", Namespace: a.GetNamespace(), Name: a.GetName(),
		Group: a.GetResource().Group, Version: a.GetResource().Version, Resource: a.GetResource().Resource, Subresource: "binding",
	})
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	if !allowed {
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("user %q may not update shoots/binding", a.GetUserInfo().GetName()))}
	}
	return nil
}

// applySeed completes the networks of a shoot with a seed, and checks what the seed has to do with a change. Only the
// reserved networks matter as long as there is no seed.
func (p *Plugin) applySeed(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	moved := old == nil || !ptr.Equal(old.Spec.SeedName, shoot.Spec.SeedName)
	changed := moved || !apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec)
	if !changed && maps.Equal(shoot.Annotations, old.Annotations) {
		return nil // status and the like
	}
	if shoot.Spec.SeedName == nil {
		return checkNetworks(shoot, old, nil)
	}
	path := field.NewPath("spec", "seedName")
	seed, err := initializer.Get[core.Seed](ctx, p.Objects, core.Resource("seeds"), "", *shoot.Spec.SeedName)
	if apierrors.IsNotFound(err) {
		if !moved {
			return nil // nothing to compare with
		}
		return field.ErrorList{field.NotFound(path, *shoot.Spec.SeedName)}
	}
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	setNetworks(shoot, seed)
	if !moved {
		return slices.Concat(checkFrozen(shoot, old, seed), checkNetworks(shoot, old, seed), checkTolerance(shoot, old, seed))
	}
	var errs field.ErrorList
	if seed.DeletionTimestamp != nil {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("seed %q is being deleted", seed.Name)))
	}
	if !helper.TaintsTolerated(seed.Spec.Taints, shoot.Spec.Tolerations) {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("the shoot does not tolerate the taints of seed %q", seed.Name)))
	}
	if old != nil && old.Spec.SeedName != nil && seed.Name != ptr.Deref(old.Status.SeedName, "") { // or else a move that has not begun is taken back
		errs = append(errs, p.checkMove(ctx, *old.Spec.SeedName, seed)...)
	}
	return slices.Concat(errs, checkNetworks(shoot, nil, seed), checkTolerance(shoot, nil, seed))
}

// checkMove checks the seeds of a control plane that moves: its data are in the backup of one seed, and its infrastructure stays.
func (p *Plugin) checkMove(ctx context.Context, from string, to *core.Seed) field.ErrorList {
	path := field.NewPath("spec", "seedName")
	source, err := initializer.Get[core.Seed](ctx, p.Objects, core.Resource("seeds"), "", from)
	if err != nil {
		return field.ErrorList{field.InternalError(path, fmt.Errorf("read the present seed %q: %w", from, err))}
	}
	var errs field.ErrorList
	for _, seed := range []*core.Seed{source, to} {
		if seed.Spec.Backup == nil {
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("seed %q has no backup, and a control plane moves through the backups of its etcd", seed.Name)))
		}
	}
	if source.Spec.Provider.Type != to.Spec.Provider.Type {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("seed %q is of provider %q and seed %q of provider %q: control planes move between seeds of one provider only",
			source.Name, source.Spec.Provider.Type, to.Name, to.Spec.Provider.Type)))
	}
	if len(errs) > 0 {
		return errs
	}
	if reason := backupsStay(source, to); reason != "" {
		return field.ErrorList{field.Forbidden(path, reason)}
	}
	return nil
}

// checkFrozen keeps shoots as they are while their seed is being deleted: they can only be deleted, too. Annotations may
// go, as the gardenlet takes them away.
func checkFrozen(shoot, old *core.Shoot, seed *core.Seed) field.ErrorList {
	if seed.DeletionTimestamp == nil {
		return nil
	}
	reason := fmt.Sprintf("must not be changed while seed %q is being deleted", seed.Name)
	var errs field.ErrorList
	if !apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec) {
		errs = append(errs, field.Forbidden(field.NewPath("spec"), reason))
	}
	for key, value := range shoot.Annotations {
		if before, had := old.Annotations[key]; key != constants.ConfirmationDeletion && (!had || before != value) {
			errs = append(errs, field.Forbidden(field.NewPath("metadata", "annotations").Key(key), reason))
		}
	}
	return errs
}

// zonesForTolerance is how many zones a control plane needs to survive the loss of one.
const zonesForTolerance = 3

func checkTolerance(shoot, old *core.Shoot, seed *core.Seed) field.ErrorList {
	wanted := helper.FailureTolerance(shoot)
	if wanted != core.FailureToleranceTypeZone || old != nil && helper.FailureTolerance(old) == wanted || len(seed.Spec.Provider.Zones) >= zonesForTolerance {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec", "controlPlane", "highAvailability", "failureTolerance", "type"),
		fmt.Sprintf("seed %q has %d zones, and zone needs %d", seed.Name, len(seed.Spec.Provider.Zones), zonesForTolerance))}
}
