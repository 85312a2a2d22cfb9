// Package shootvalidator is the admission plugin that completes a Shoot and checks it against its CloudProfile, its
// Project and its Seed. Checks that need only the Shoot belong to validation.
//
//	versions.go   Kubernetes versions
//	images.go     machine images
//	notes.go      warnings about versions that will expire
//	limits.go     numbers of nodes
//	offers.go     regions, zones, machine and volume types, and credentials
//	seed.go       the assignment to a seed, and the requirements of a seed
//	networks.go   networks and their overlaps
//	domain.go     domains of other shoots
//	claims.go     domains of shoots that are not stored yet
//	documents.go  provider-specific documents, and kubeconfigs of admission plugins
//	state.go      changes that the state of the cluster forbids
//	tasks.go      tasks of the gardenlet after a change
package shootvalidator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/profiles"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootValidator"

const (
	// Names of machines and DNS labels are made of both; some infrastructures allow no more.
	maxNameLength         = 21
	maxGenerateNameLength = 16
)

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) { return New(clock.RealClock{}), nil })
}

// New makes a plugin.
func New(clock clock.PassiveClock) *Plugin {
	return &Plugin{Reader: initializer.NewReader(admission.Create, admission.Update), clock: clock}
}

// Plugin implements the admission plugin.
type Plugin struct {
	initializer.Reader
	initializer.Access
	garden   kubernetes.Interface
	domains  gardendomains.Source
	reserved gardendomains.Source
	clock    clock.PassiveClock
	claims   claims
}

// SetDomains sets the source of the garden's default domains.
func (p *Plugin) SetDomains(domains gardendomains.Source) { p.domains = domains }

// SetReservedDomains sets the source of domains that no shoot may use.
func (p *Plugin) SetReservedDomains(reserved gardendomains.Source) { p.reserved = reserved }

// SetExternalKubeClientSet sets the client of the garden, which stores the Secrets of projects.
func (p *Plugin) SetExternalKubeClientSet(garden kubernetes.Interface) { p.garden = garden }

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.Authorizer == nil || p.garden == nil || p.domains == nil || p.reserved == nil {
		return errors.New("no authorizer, no client of the garden or no source of domains")
	}
	return p.Reader.ValidateInitialization()
}

// Admit completes the shoot and refuses settings that its profile, project or seed does not offer. Settings that an
// existing shoot already has stay allowed.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok {
		return nil
	}
	old, _ := a.GetOldObject().(*core.Shoot)
	var errs field.ErrorList
	switch a.GetSubresource() {
	case "":
		errs = append(errs, checkFinalizer(shoot, old)...)
		errs = append(errs, p.checkBindingAllowed(ctx, a, shoot, old)...)
		if shoot.DeletionTimestamp != nil {
			break
		}
		if old == nil {
			errs = append(errs, p.checkProject(ctx, a, shoot)...)
		}
		if old == nil || !apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec) {
			errs = append(errs, p.applyProfile(ctx, shoot, old)...)
			errs = append(errs, p.checkCredentials(ctx, shoot, old)...)
			errs = append(errs, p.checkDomain(ctx, shoot, old)...)
			errs = append(errs, p.checkDocuments(ctx, shoot, old)...)
			errs = append(errs, checkHibernation(shoot, old)...)
		}
		errs = append(errs, p.applySeed(ctx, shoot, old)...)
		addTasks(shoot, old)
		noteRetry(shoot, old)
	case "binding":
		if shoot.DeletionTimestamp == nil {
			errs = append(errs, p.applySeed(ctx, shoot, old)...)
		}
	}
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
	return apierrors.NewInvalid(core.Kind("Shoot"), name, fewerrors.Of(errs))
}

// checkProject checks the project of a new shoot.
func (p *Plugin) checkProject(ctx context.Context, a admission.Attributes, shoot *core.Shoot) field.ErrorList {
	project, err := projects.Of(ctx, p.Objects, a.GetNamespace())
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
	profile, err := profiles.Of(ctx, p.Objects, &shoot.Spec, shoot.Namespace)
	if apierrors.IsNotFound(err) {
		return field.ErrorList{field.NotFound(path.Child("cloudProfile", "name"), ref.Name)}
	}
	if err != nil {
		return field.ErrorList{field.InternalError(path.Child("cloudProfile"), err)}
	}
	c := &check{profile: profile, shoot: shoot, old: old, now: p.clock.Now()}
	c.provider(path.Child("provider", "type"))
	c.kubernetes(path.Child("kubernetes", "version"))
	c.region(path.Child("region"))
	for i := range shoot.Spec.Provider.Workers {
		c.pool(&shoot.Spec.Provider.Workers[i]).complete(path.Child("provider", "workers").Index(i))
	}
	c.limits(path.Child("provider", "workers"))
	for _, note := range c.notes {
		warning.AddWarning(ctx, "", note)
	}
	return c.errs
}

// check is one shoot against one profile. old is nil for a new shoot.
type check struct {
	profile    *core.CloudProfileSpec
	shoot, old *core.Shoot
	now        time.Time
	errs       field.ErrorList
	notes      []string // for the requester, besides the errors
}

func (c *check) fail(err *field.Error) { c.errs = append(c.errs, err) }
