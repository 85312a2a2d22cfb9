// Package shootmanagedseed is the admission plugin that refuses changes of a Shoot that would break the ManagedSeed which
// refers to it.
package shootmanagedseed

import (
	"context"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/seedtemplate"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootManagedSeed"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{initializer.NewReader(admission.Create, admission.Update, admission.Delete)}, nil
	})
}

// Plugin implements the admission plugin.
type Plugin struct{ initializer.Reader }

// Validate refuses changes and deletions that would break the seed. It is called for each shoot of a collection.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetSubresource() != "" || a.GetNamespace() != constants.GardenNamespace { // ManagedSeeds live there
		return nil
	}
	shoot, _ := a.GetObject().(*core.Shoot)
	old, _ := a.GetOldObject().(*core.Shoot)
	if shoot == nil && old == nil || shoot != nil && shoot.DeletionTimestamp != nil {
		return nil
	}
	name := a.GetName()
	if old != nil {
		name = old.Name
	}
	seed, err := initializer.First(ctx, p.Objects, seedmanagement.Resource("managedseeds"), constants.GardenNamespace, func(seed *seedmanagement.ManagedSeed) bool {
		return seed.Spec.Shoot != nil && seed.Spec.Shoot.Name == name
	})
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("look for the managed seed of shoot %q: %w", name, err))
	}
	if seed == nil {
		return nil
	}
	if shoot == nil {
		return apierrors.NewForbidden(core.Resource("shoots"), name, fmt.Errorf("managed seed %q refers to it", seed.Name))
	}
	if errs := check(shoot, old, seed); len(errs) > 0 {
		return apierrors.NewInvalid(core.Kind("Shoot"), name, fewerrors.Of(errs))
	}
	return nil
}

// check reports settings of a shoot that a seed does not allow. old is nil for a new shoot.
func check(shoot, old *core.Shoot, seed *seedmanagement.ManagedSeed) field.ErrorList {
	because := fmt.Sprintf("as managed seed %q refers to the shoot", seed.Name)
	path := field.NewPath("spec")
	var errs field.ErrorList
	if addons := shoot.Spec.Addons; addons != nil && addons.NginxIngress != nil && addons.NginxIngress.Enabled {
		errs = append(errs, field.Forbidden(path.Child("addons", "nginxIngress", "enabled"), "must not be enabled, "+because))
	}
	if !helper.WantsVerticalPodAutoscaler(shoot) {
		errs = append(errs, field.Forbidden(path.Child("kubernetes", "verticalPodAutoscaler", "enabled"), "must be enabled, "+because))
	}
	if old == nil {
		return errs
	}
	if nodes := nodesOf(old); nodes != nil && !ptr.Equal(nodes, nodesOf(shoot)) {
		errs = append(errs, field.Forbidden(path.Child("networking", "nodes"), "must not be changed, "+because))
	}
	template, err := seedtemplate.Of(seed)
	if err != nil || template == nil {
		return errs
	}
	gone := zonesOf(old).Difference(zonesOf(shoot)).Intersection(sets.New(template.Spec.Provider.Zones...))
	if len(gone) > 0 {
		errs = append(errs, field.Forbidden(path.Child("provider", "workers"), fmt.Sprintf("zones %v must not be removed, as managed seed %q uses them", sets.List(gone), seed.Name)))
	}
	return errs
}

func nodesOf(shoot *core.Shoot) *string {
	if shoot.Spec.Networking == nil {
		return nil
	}
	return shoot.Spec.Networking.Nodes
}

func zonesOf(shoot *core.Shoot) sets.Set[string] {
	zones := sets.New[string]()
	for _, worker := range shoot.Spec.Provider.Workers {
		zones.Insert(worker.Zones...)
	}
	return zones
}
