package shootvalidator

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// checkDomain refuses a domain that is, contains or lies in that of another shoot. A domain as <name>.<project>.<default
// domain> is the shoot's own without looking at all others: ShootDNS gives it to nobody else. It would be contained in
// a shoot's domain that was there before the default domain was, which is the operator's to avoid.
func (p *Plugin) checkDomain(ctx context.Context, shoot, old *core.Shoot) field.ErrorList {
	domain := domainOf(shoot)
	if domain == "" || domain == core.DefaultDomain || old != nil && domainOf(old) == domain {
		return nil
	}
	path := field.NewPath("spec", "dns", "domain")
	if errs := p.checkReserved(ctx, domain, path); len(errs) > 0 {
		return errs
	}
	domains, err := p.domains(ctx)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	for _, other := range domains {
		if strings.HasSuffix(domain, "."+other.Name) {
			return nil
		}
		if contains(domain, other.Name) {
			return field.ErrorList{field.Forbidden(path, fmt.Sprintf("%s is or contains the garden's default domain %s", domain, other.Name))}
		}
	}
	taken := field.ErrorList{field.Forbidden(path, fmt.Sprintf("%s is, contains or lies in the domain of another shoot", domain))} // whose it is, is no business of the requester
	if !p.claims.take(ctx, claim{domain: domain, namespace: shoot.Namespace, name: shoot.Name}) {
		return taken
	}
	other, err := initializer.First(ctx, p.Objects, core.Resource("shoots"), "", func(other *core.Shoot) bool {
		if other.Namespace == shoot.Namespace && other.Name == shoot.Name {
			return false
		}
		its := domainOf(other)
		return its != "" && its != core.DefaultDomain && (contains(domain, its) || contains(its, domain))
	})
	if err != nil {
		return field.ErrorList{field.InternalError(path, fmt.Errorf("look for shoots with the domain: %w", err))}
	}
	if other != nil {
		return taken
	}
	return nil
}

// checkReserved refuses a domain that shares names with the garden, or with the internal names of all shoots.
func (p *Plugin) checkReserved(ctx context.Context, domain string, path *field.Path) field.ErrorList {
	reserved, err := p.reserved(ctx)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	for _, other := range reserved {
		if contains(domain, other.Name) || contains(other.Name, domain) {
			return field.ErrorList{field.Forbidden(path, fmt.Sprintf("%s is, contains or lies in the domain %s, which is reserved for the garden", domain, other.Name))}
		}
	}
	return nil
}

// contains is true for equal domains, too.
func contains(domain, inner string) bool {
	return domain == inner || strings.HasSuffix(inner, "."+domain)
}

// domainOf is empty for shoots without managed DNS.
func domainOf(shoot *core.Shoot) string {
	if shoot.Spec.DNS == nil || helper.UnmanagedDNS(shoot.Spec.DNS) {
		return ""
	}
	return ptr.Deref(shoot.Spec.DNS.Domain, "")
}
