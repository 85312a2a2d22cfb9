package shootdns

import (
	"fmt"
	"slices"
	"strings"

	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// randomLabelLength is the length of the first label of domains for shoots whose name is not known yet.
const randomLabelLength = 10

// assign fills the domain and the primary provider, or tells why the user's choice is not possible. before is the domain that
// the shoot has already; empty if it has none.
func assign(shoot *core.Shoot, before, project string, domains []string) error {
	if isUnmanaged(shoot) {
		return nil
	}
	if needsDomain(shoot) {
		if len(domains) == 0 {
			return nil
		}
		if shoot.Spec.DNS == nil {
			shoot.Spec.DNS = &core.DNS{}
		}
		label := shoot.Name
		if label == "" {
			label = utilrand.String(randomLabelLength)
		}
		shoot.Spec.DNS.Domain = ptr.To(label + "." + project + "." + domains[0])
	}
	domain := *shoot.Spec.DNS.Domain
	for _, other := range domains {
		if domain == other || strings.HasSuffix(domain, "."+other) {
			return checkDefault(shoot, before, project, other)
		}
	}
	if providers := shoot.Spec.DNS.Providers; len(providers) > 0 && !slices.ContainsFunc(providers, isPrimary) {
		providers[0].Primary = ptr.To(true)
	}
	return nil
}

// checkDefault reports whether a domain below a default domain is the shoot's own. A shoot whose name was made up keeps the
// domain that it was made with. Its generateName does not tell that: users may set it together with a name.
func checkDefault(shoot *core.Shoot, before, project, domain string) error {
	suffix := "." + project + "." + domain
	if shoot.Name == "" { // the label was made up
		if label, ok := strings.CutSuffix(*shoot.Spec.DNS.Domain, suffix); !ok || strings.Contains(label, ".") {
			return fmt.Errorf("spec.dns.domain: below the default domain it must be <name>%s", suffix)
		}
		return nil
	}
	if want := shoot.Name + suffix; *shoot.Spec.DNS.Domain != want && *shoot.Spec.DNS.Domain != before {
		return fmt.Errorf("spec.dns.domain: below the default domain %s it must be %s", domain, want)
	}
	if slices.ContainsFunc(shoot.Spec.DNS.Providers, isPrimary) {
		return fmt.Errorf("spec.dns.providers: there cannot be a primary provider for the default domain %s", domain)
	}
	return nil
}

// checkProviders demands that the providers that serve further domains can do so, which matters once there is a seed.
func checkProviders(shoot *core.Shoot) error {
	if shoot.Spec.SeedName == nil || shoot.Spec.DNS == nil {
		return nil
	}
	for i, provider := range shoot.Spec.DNS.Providers {
		if isPrimary(provider) || ptr.Deref(provider.Type, "") == core.DNSUnmanaged {
			continue
		}
		if ptr.Deref(provider.Type, "") == "" || ptr.Deref(provider.SecretName, "") == "" && provider.CredentialsRef == nil {
			return fmt.Errorf("spec.dns.providers[%d]: a provider that is not primary needs a type and credentials", i)
		}
	}
	return nil
}

func needsDomain(shoot *core.Shoot) bool {
	return ptr.Deref(domainOf(shoot), "") == "" && !isUnmanaged(shoot)
}

func domainOf(shoot *core.Shoot) *string {
	if shoot.Spec.DNS == nil {
		return nil
	}
	return shoot.Spec.DNS.Domain
}

func isUnmanaged(shoot *core.Shoot) bool { return helper.UnmanagedDNS(shoot.Spec.DNS) }

func isPrimary(p core.DNSProvider) bool { return ptr.Deref(p.Primary, false) }
