// Package shootvalidator is the admission plugin that completes and checks a Shoot against its CloudProfile, its
// Project and its Seed. What can be told from the Shoot alone is validation.
//
//	versions.go   Kubernetes versions
//	images.go     machine images
//	offers.go     regions, zones, machine and volume types
//	seed.go       the assignment to a seed, and networks
package shootvalidator

import (
	"context"
	"fmt"
	"io"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
)

// PluginName in flags.
const PluginName = "ShootValidator"

const (
	// Names of machines and DNS labels are made of both; some infrastructures allow no more.
	maxNameLength         = 21
	maxGenerateNameLength = 16
)

// Register adds the plugin to those that can be chosen.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update)}, nil
	})
}

// Plugin is the plugin.
type Plugin struct {
	*admission.Handler
	objects    initializer.Objects
	authorizer authorizer.Authorizer
}

// SetObjects takes the reader of objects.
func (p *Plugin) SetObjects(objects initializer.Objects) { p.objects = objects }

// SetAuthorizer takes what tells who may assign shoots to seeds.
func (p *Plugin) SetAuthorizer(authorizer authorizer.Authorizer) { p.authorizer = authorizer }

// ValidateInitialization tells whether the plugin can work.
func (p *Plugin) ValidateInitialization() error {
	if p.objects == nil || p.authorizer == nil {
		return fmt.Errorf("%s: no reader of objects or no authorizer", PluginName)
	}
	return nil
}

// Admit completes the shoot and refuses what its surroundings do not offer. What an existing shoot has already stays
// allowed.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || shoot.DeletionTimestamp != nil {
		return nil
	}
	old, _ := a.GetOldObject().(*core.Shoot)
	var errs field.ErrorList
	switch a.GetSubresource() {
	case "":
		if old == nil {
			errs = append(errs, p.checkProject(ctx, a, shoot)...)
			errs = append(errs, p.checkBindingAllowed(ctx, a, shoot)...)
		}
		if old == nil || !apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec) {
			errs = append(errs, p.applyProfile(ctx, shoot, old)...)
		}
	case "binding":
	default:
		return nil
	}
	errs = append(errs, p.applySeed(ctx, shoot, old)...)
	if len(errs) > 0 {
		return invalid(shoot, errs)
	}
	return nil
}

// invalid is the answer to mistakes of the user; if the server itself failed, that is the answer.
func invalid(shoot *core.Shoot, errs field.ErrorList) error {
	for _, err := range errs {
		if err.Type == field.ErrorTypeInternal {
			return apierrors.NewInternalError(err)
		}
	}
	name := shoot.Name
	if name == "" {
		name = shoot.GenerateName
	}
	return apierrors.NewInvalid(core.Kind("Shoot"), name, errs)
}

// checkProject is for new shoots only.
func (p *Plugin) checkProject(ctx context.Context, a admission.Attributes, shoot *core.Shoot) field.ErrorList {
	project, err := projects.Of(ctx, p.objects, a.GetNamespace())
	namespace, name := field.NewPath("metadata", "namespace"), field.NewPath("metadata", "name")
	switch {
	case err != nil:
		return field.ErrorList{field.InternalError(namespace, err)}
	case project == nil:
		return field.ErrorList{field.Invalid(namespace, a.GetNamespace(), "is not the namespace of a project")}
	case project.DeletionTimestamp != nil:
		return field.ErrorList{field.Forbidden(namespace, fmt.Sprintf("project %q is being deleted", project.Name))}
	case shoot.Name != "" && len(project.Name)+len(shoot.Name) > maxNameLength:
		return field.ErrorList{field.Invalid(name, shoot.Name, fmt.Sprintf("must have at most %d characters together with the name of the project %q", maxNameLength, project.Name))}
	case shoot.Name == "" && len(project.Name)+len(shoot.GenerateName) > maxGenerateNameLength:
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "generateName"), shoot.GenerateName, fmt.Sprintf("must have at most %d characters together with the name of the project %q", maxGenerateNameLength, project.Name))}
	default:
		return nil
	}
}

// applyProfile completes versions and images and checks what the profile has to offer.
func (p *Plugin) applyProfile(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	path := field.NewPath("spec")
	ref := helper.CloudProfileReference(&shoot.Spec)
	if ref == nil {
		return field.ErrorList{field.Required(path.Child("cloudProfile", "name"), "a shoot needs a profile")}
	}
	profile, err := p.profile(ctx, ref, shoot.Namespace)
	if apierrors.IsNotFound(err) {
		return field.ErrorList{field.NotFound(path.Child("cloudProfile", "name"), ref.Name)}
	}
	if err != nil {
		return field.ErrorList{field.InternalError(path.Child("cloudProfile"), err)}
	}
	c := &check{profile: profile, shoot: shoot, old: old, now: time.Now()}
	c.provider(path.Child("provider", "type"))
	c.kubernetes(path.Child("kubernetes", "version"))
	c.region(path.Child("region"))
	for i := range shoot.Spec.Provider.Workers {
		c.worker(&shoot.Spec.Provider.Workers[i], path.Child("provider", "workers").Index(i))
	}
	return c.errs
}

// profile also takes profiles of the project, as they come out of merging with their parents.
func (p *Plugin) profile(ctx context.Context, ref *core.CloudProfileReference, namespace string) (*core.CloudProfileSpec, error) {
	if ref.Kind == helper.KindNamespacedCloudProfile {
		profile, err := initializer.Get[core.NamespacedCloudProfile](ctx, p.objects, core.Resource("namespacedcloudprofiles"), namespace, ref.Name)
		if err != nil {
			return nil, err
		}
		return &profile.Status.CloudProfileSpec, nil
	}
	profile, err := initializer.Get[core.CloudProfile](ctx, p.objects, core.Resource("cloudprofiles"), "", ref.Name)
	if err != nil {
		return nil, err
	}
	return &profile.Spec, nil
}

// check is one shoot against one profile. old is nil for a new shoot.
type check struct {
	profile    *core.CloudProfileSpec
	shoot, old *core.Shoot
	now        time.Time
	errs       field.ErrorList
}

func (c *check) fail(err *field.Error) { c.errs = append(c.errs, err) }
