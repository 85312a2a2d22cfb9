// Package managedseed is the admission plugin that compares a ManagedSeed with its Shoot. Provider, networks and domain of the seed
// must be those of the Shoot. The plugin copies missing values from the Shoot.
package managedseed

import (
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/seedtemplate"
	"github.com/gardener-up/gardener-up/embedded/internal/fewerrors"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ManagedSeed"

// Register adds the plugin to the available plugins.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return New(), nil
	})
}

// New makes a plugin.
func New() *Plugin {
	return &Plugin{Reader: initializer.NewReader(admission.Create, admission.Update)}
}

// Plugin implements the admission plugin.
type Plugin struct {
	initializer.Reader
	domains gardendomains.Source
}

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.domains == nil {
		return errors.New("no source of domains")
	}
	return p.Reader.ValidateInitialization()
}

// SetDomains sets the source of the garden's default domains.
func (p *Plugin) SetDomains(domains gardendomains.Source) { p.domains = domains }

// Admit completes and checks a ManagedSeed.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	seed, ok := a.GetObject().(*seedmanagement.ManagedSeed)
	if !ok || a.GetSubresource() != "" || seed.DeletionTimestamp != nil {
		return nil
	}
	if old, updating := a.GetOldObject().(*seedmanagement.ManagedSeed); updating && apiequality.Semantic.DeepEqual(seed.Spec, old.Spec) {
		return nil // also if the shoot has changed since
	}
	errs, err := p.admit(ctx, a.GetNamespace(), seed)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(seedmanagement.Kind("ManagedSeed"), seed.Name, fewerrors.Of(errs))
	}
	return nil
}

func (p *Plugin) admit(ctx context.Context, namespace string, seed *seedmanagement.ManagedSeed) (field.ErrorList, error) {
	path := field.NewPath("spec", "shoot", "name")
	if namespace != constants.GardenNamespace {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "namespace"), namespace, "must be "+constants.GardenNamespace)}, nil
	}
	if seed.Spec.Shoot == nil || seed.Spec.Shoot.Name == "" {
		return field.ErrorList{field.Required(path, "must name a shoot")}, nil
	}
	if seed.Spec.SeedTemplate == nil && seed.Spec.Gardenlet == nil {
		return nil, nil // validation tells
	}
	name := seed.Spec.Shoot.Name
	shoot, err := initializer.Get[core.Shoot](ctx, p.Objects, core.Resource("shoots"), namespace, name)
	if apierrors.IsNotFound(err) {
		return field.ErrorList{field.NotFound(path, name)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read shoot %q: %w", name, err)
	}
	if errs := suitable(shoot, path); len(errs) > 0 {
		return errs, nil
	}
	other, err := initializer.First(ctx, p.Objects, seedmanagement.Resource("managedseeds"), namespace, func(other *seedmanagement.ManagedSeed) bool {
		return other.Name != seed.Name && other.Spec.Shoot != nil && other.Spec.Shoot.Name == name
	})
	if err != nil {
		return nil, fmt.Errorf("look for other managed seeds: %w", err)
	}
	if other != nil {
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("managed seed %q refers to the shoot already", other.Name))}, nil
	}
	return p.fit(ctx, seed, shoot)
}

// suitable reports whether a shoot can be a seed.
func suitable(shoot *core.Shoot, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	refuse := func(reason string) { errs = append(errs, field.Invalid(path, shoot.Name, reason)) }
	if shoot.Spec.DNS == nil || shoot.Spec.DNS.Domain == nil || *shoot.Spec.DNS.Domain == "" {
		refuse("the shoot must have a domain")
	}
	if helper.IsWorkerless(shoot) {
		refuse("the shoot must have workers")
	}
	if helper.HibernationIsEnabled(shoot) {
		refuse("the shoot must not be hibernated")
	}
	if addons := shoot.Spec.Addons; addons != nil && addons.NginxIngress != nil && addons.NginxIngress.Enabled {
		refuse("the shoot must not have the nginx ingress addon")
	}
	if !helper.WantsVerticalPodAutoscaler(shoot) {
		refuse("the shoot must have the vertical pod autoscaler enabled")
	}
	return errs
}

// fit completes and checks the template of the seed.
func (p *Plugin) fit(ctx context.Context, seed *seedmanagement.ManagedSeed, shoot *core.Shoot) (field.ErrorList, error) {
	path := field.NewPath("spec", "gardenlet", "config", "seedConfig")
	if seed.Spec.SeedTemplate != nil {
		path = field.NewPath("spec", "seedTemplate")
	}
	template, err := seedtemplate.Of(seed)
	if err != nil {
		return field.ErrorList{field.Invalid(path, "", err.Error())}, nil
	}
	if template == nil {
		template = &core.SeedTemplate{}
	}
	if template.Name != "" {
		return field.ErrorList{field.Forbidden(path.Child("metadata", "name"), "the seed has the name of the managed seed")}, nil
	}
	provider, err := p.dnsProvider(ctx)
	if err != nil {
		return nil, err
	}
	complete(&template.Spec, shoot, provider)
	if errs := check(&template.Spec, shoot, path.Child("spec")); len(errs) > 0 {
		return errs, nil
	}
	if err := seedtemplate.Set(seed, template); err != nil {
		return field.ErrorList{field.Invalid(path, "", err.Error())}, nil
	}
	return nil, nil
}

// dnsProvider is the provider of the preferred default domain, below which the ingress domains of seeds usually are; nil if the
// garden has none.
func (p *Plugin) dnsProvider(ctx context.Context) (*core.SeedDNSProvider, error) {
	domains, err := p.domains(ctx)
	if err != nil {
		return nil, err
	}
	if len(domains) == 0 {
		return nil, nil
	}
	return &core.SeedDNSProvider{
		Type:      domains[0].Provider,
		SecretRef: corev1.SecretReference{Namespace: constants.GardenNamespace, Name: domains[0].Secret},
	}, nil
}
