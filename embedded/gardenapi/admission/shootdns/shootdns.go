// Package shootdns is the admission plugin that sets the domain of a Shoot: a domain below the default domain of the garden
// unless the user names one. It does not check whether DNS records can be created.
package shootdns

import (
	"context"
	"errors"
	"fmt"
	"io"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/projects"
)

// PluginName is the name of the plugin in flags and configuration files.
const PluginName = "ShootDNS"

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

// SetDomains sets the source of the garden's default domains.
func (p *Plugin) SetDomains(domains gardendomains.Source) { p.domains = domains }

// ValidateInitialization reports whether the plugin has all its dependencies.
func (p *Plugin) ValidateInitialization() error {
	if p.domains == nil {
		return errors.New("no source of domains")
	}
	return p.Reader.ValidateInitialization()
}

// Admit fills spec.dns.
func (p *Plugin) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	shoot, ok := a.GetObject().(*core.Shoot)
	if !ok || (a.GetSubresource() != "" && a.GetSubresource() != "binding") || shoot.DeletionTimestamp != nil {
		return nil
	}
	before := ""
	old, updating := a.GetOldObject().(*core.Shoot)
	if updating && !isUnmanaged(old) {
		before = ptr.Deref(domainOf(old), "")
	}
	if updating && ptr.Equal(shoot.Spec.SeedName, old.Spec.SeedName) && apiequality.Semantic.DeepEqual(shoot.Spec.DNS, old.Spec.DNS) {
		return nil // most updates are about something else
	}
	enabled, err := p.seedAllows(ctx, shoot)
	if err != nil {
		return err
	}
	if !enabled {
		if shoot.Spec.DNS != nil {
			return admission.NewForbidden(a, fmt.Errorf("spec.dns must not be set: DNS of shoots is disabled on seed %q", *shoot.Spec.SeedName))
		}
		return nil
	}
	domains, err := p.domains(ctx)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	project, err := projects.Of(ctx, p.Objects, a.GetNamespace())
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if project == nil { // ShootValidator refuses such shoots
		return nil
	}
	names := make([]string, 0, len(domains))
	for _, domain := range domains {
		names = append(names, domain.Name)
	}
	if err := assign(shoot, before, project.Name, names); err != nil {
		return admission.NewForbidden(a, err)
	}
	if err := checkProviders(shoot); err != nil {
		return admission.NewForbidden(a, err)
	}
	return nil
}

// seedAllows is true as long as there is no seed.
func (p *Plugin) seedAllows(ctx context.Context, shoot *core.Shoot) (bool, error) {
	if shoot.Spec.SeedName == nil {
		return true, nil
	}
	seed, err := initializer.Get[core.Seed](ctx, p.Objects, core.Resource("seeds"), "", *shoot.Spec.SeedName)
	if apierrors.IsNotFound(err) {
		return true, nil // ShootValidator refuses unknown seeds
	}
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	settings := seed.Spec.Settings
	return settings == nil || settings.ShootDNS == nil || settings.ShootDNS.Enabled, nil
}
