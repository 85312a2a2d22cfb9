package shootdns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// randomLabelLength is that of the first label of domains for shoots whose name is not known yet.
const randomLabelLength = 10

// defaultDomain is one of the domains of the garden.
type defaultDomain struct {
	domain   string
	priority int
}

// readDefaultDomains returns the domains, the preferred one first.
func readDefaultDomains(ctx context.Context, garden kubernetes.Interface) ([]string, error) {
	secrets, err := garden.CoreV1().Secrets(constants.GardenNamespace).List(ctx, metav1.ListOptions{
		LabelSelector: constants.GardenRole + "=" + constants.GardenRoleDefaultDomain,
	})
	if err != nil {
		return nil, fmt.Errorf("read default domains: %w", err)
	}
	var found []defaultDomain
	for _, secret := range secrets.Items {
		priority, _ := strconv.Atoi(secret.Annotations[constants.DNSDefaultDomainPriority])
		if domain := secret.Annotations[constants.DNSDomain]; domain != "" {
			found = append(found, defaultDomain{domain, priority})
		}
	}
	slices.SortFunc(found, func(a, b defaultDomain) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.domain, b.domain))
	})
	var out []string
	for _, one := range found {
		out = append(out, one.domain)
	}
	return out, nil
}

// assign fills the domain and the primary provider, or tells why the user's choice is not possible.
func assign(shoot *core.Shoot, project string, domains []string) error {
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
			return checkDefault(shoot, project, other)
		}
	}
	if providers := shoot.Spec.DNS.Providers; len(providers) > 0 && !slices.ContainsFunc(providers, isPrimary) {
		providers[0].Primary = ptr.To(true)
	}
	return nil
}

// checkDefault tells whether a domain below a default domain is the shoot's own.
func checkDefault(shoot *core.Shoot, project, domain string) error {
	suffix := "." + project + "." + domain
	if shoot.Name == "" { // the label was made up
		if label, ok := strings.CutSuffix(*shoot.Spec.DNS.Domain, suffix); !ok || strings.Contains(label, ".") {
			return fmt.Errorf("spec.dns.domain: below the default domain it must be <name>%s", suffix)
		}
		return nil
	}
	if want := shoot.Name + suffix; *shoot.Spec.DNS.Domain != want && shoot.GenerateName == "" {
		return fmt.Errorf("spec.dns.domain: below the default domain %s it must be %s", domain, want)
	}
	if slices.ContainsFunc(shoot.Spec.DNS.Providers, isPrimary) {
		return fmt.Errorf("spec.dns.providers: there cannot be a primary provider for the default domain %s", domain)
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

func isUnmanaged(shoot *core.Shoot) bool {
	return shoot.Spec.DNS != nil && slices.ContainsFunc(shoot.Spec.DNS.Providers, func(p core.DNSProvider) bool {
		return ptr.Deref(p.Type, "") == core.DNSUnmanaged
	})
}

func isPrimary(p core.DNSProvider) bool { return ptr.Deref(p.Primary, false) }
