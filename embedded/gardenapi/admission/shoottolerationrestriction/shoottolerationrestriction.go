// Package shoottolerationrestriction is the admission plugin that restricts the tolerations of shoots to those that the
// project or the garden permits. It also adds the default tolerations of the project and the garden to new shoots.
package shoottolerationrestriction

import (
	"context"
	"fmt"
	"io"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootTolerationRestriction"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(from io.Reader) (admission.Interface, error) {
		config, err := readConfiguration(from)
		if err != nil {
			return nil, err
		}
		return New(*config), nil
	})
}

// New makes a plugin.
func New(config Configuration) *Plugin {
	return &Plugin{initializer.NewReader(admission.Create, admission.Update), config}
}

// Plugin implements the admission plugin.
type Plugin struct {
	initializer.Reader
	config Configuration
}

// Admit adds the defaults to a new shoot. A key that the shoot tolerates already stays as it is.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || a.GetOperation() != admission.Create {
		return nil
	}
	ofProject, err := p.ofProject(ctx, a.GetNamespace())
	if err != nil {
		return err
	}
	for _, toleration := range slices.Concat(ofProject.Defaults, p.config.Defaults) {
		if !slices.ContainsFunc(shoot.Spec.Tolerations, func(present core.Toleration) bool { return present.Key == toleration.Key }) {
			shoot.Spec.Tolerations = append(shoot.Spec.Tolerations, *toleration.DeepCopy())
		}
	}
	return nil
}

// Validate refuses new tolerations that neither the project nor the garden permits.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || a.GetSubresource() != "" || shoot.DeletionTimestamp != nil {
		return nil
	}
	var had []core.Toleration
	if old, updating := a.GetOldObject().(*core.Shoot); updating {
		had = old.Spec.Tolerations
	}
	var added []int
	for i, toleration := range shoot.Spec.Tolerations {
		if !contains(had, toleration) {
			added = append(added, i)
		}
	}
	if len(added) == 0 {
		return nil
	}
	ofProject, err := p.ofProject(ctx, a.GetNamespace())
	if err != nil {
		return err
	}
	permitted := slices.Concat(ofProject.Whitelist, p.config.Whitelist)
	if a.GetNamespace() == constants.GardenNamespace { // whose shoots tolerate protected seeds by default
		permitted = append(permitted, core.Toleration{Key: core.SeedTaintProtected})
	}
	var errs field.ErrorList
	for _, i := range added {
		if toleration := shoot.Spec.Tolerations[i]; !permits(permitted, toleration) {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "tolerations").Index(i), fmt.Sprintf("toleration %s is not whitelisted", id(toleration))))
		}
	}
	if len(errs) > 0 {
		return admission.NewForbidden(a, errs.ToAggregate())
	}
	return nil
}

func (p *Plugin) ofProject(ctx context.Context, namespace string) (core.ProjectTolerations, error) {
	project, err := projects.Of(ctx, p.Objects, namespace)
	if err != nil {
		return core.ProjectTolerations{}, apierrors.NewInternalError(err)
	}
	if project == nil || project.Spec.Tolerations == nil { // ShootValidator refuses shoots without a project
		return core.ProjectTolerations{}, nil
	}
	return *project.Spec.Tolerations, nil
}

// permits is true for every value of a key that is permitted without a value.
func permits(whitelist []core.Toleration, toleration core.Toleration) bool {
	return contains(whitelist, toleration) || contains(whitelist, core.Toleration{Key: toleration.Key})
}

func contains(list []core.Toleration, toleration core.Toleration) bool {
	return slices.ContainsFunc(list, func(one core.Toleration) bool { return id(one) == id(toleration) })
}
