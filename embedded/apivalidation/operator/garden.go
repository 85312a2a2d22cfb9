// Package operator validates the kinds of operator.gardener.cloud. What a CustomResourceDefinition can express is validated
// there, too: API servers that cannot call the webhook of an operator still refuse it.
package operator

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Host is what the host of a Garden can run.
type Host struct {
	// Versions of Kubernetes that it can run as virtual garden. Empty allows all.
	Versions []string
	// Domain is the first domain at which it serves the virtual garden. Empty allows all.
	Domain string
	// Services is the first range of Services of the virtual garden. Empty allows all.
	Services string
	// Fixed credentials are not rotated.
	Fixed Fixed
}

// ValidateGarden returns the mistakes of a Garden whose defaults are set.
func ValidateGarden(garden *operatorv1alpha1.Garden, host Host) field.ErrorList {
	spec := field.NewPath("spec")
	runtime, virtual := &garden.Spec.RuntimeCluster, &garden.Spec.VirtualCluster
	errs := validateProviders(garden.Spec.DNS, spec.Child("dns", "providers"))
	known := providerNames(garden.Spec.DNS)
	errs = append(errs, validateRuntime(runtime, known, spec.Child("runtimeCluster"))...)
	errs = append(errs, validateVirtual(virtual, known, host, spec.Child("virtualCluster"))...)
	return errs
}

func validateProviders(dns *operatorv1alpha1.DNSManagement, path *field.Path) field.ErrorList {
	if dns == nil {
		return nil
	}
	var errs field.ErrorList
	if len(dns.Providers) == 0 {
		errs = append(errs, field.Required(path, "name at least one account, or leave out spec.dns"))
	}
	seen := map[string]bool{}
	for i, provider := range dns.Providers {
		at := path.Index(i)
		if provider.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), "domains refer to the account by its name"))
		} else if seen[provider.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), provider.Name))
		}
		seen[provider.Name] = true
		if provider.Type == "" {
			errs = append(errs, field.Required(at.Child("type"), "name the type of the account, such as aws-route53"))
		}
		if provider.SecretRef.Name == "" {
			errs = append(errs, field.Required(at.Child("secretRef", "name"), "name a Secret of namespace garden"))
		}
	}
	return errs
}

func providerNames(dns *operatorv1alpha1.DNSManagement) []string {
	var names []string
	if dns != nil {
		for _, provider := range dns.Providers {
			names = append(names, provider.Name)
		}
	}
	return names
}

// validateDomains validates the current list and the field of former releases, of which one must be set.
func validateDomains(single *string, domains []operatorv1alpha1.DNSDomain, providers []string, path *field.Path) field.ErrorList {
	if single == nil && len(domains) == 0 {
		return field.ErrorList{field.Required(path.Child("domains"), "name at least one domain")}
	}
	var errs field.ErrorList
	if single != nil {
		errs = append(errs, validateDomain(*single, path.Child("domain"))...)
	}
	var seen []string
	for i, domain := range domains {
		at := path.Child("domains").Index(i)
		errs = append(errs, validateDomain(domain.Name, at.Child("name"))...)
		if slices.Contains(seen, domain.Name) {
			errs = append(errs, field.Duplicate(at.Child("name"), domain.Name))
		}
		if i > 0 && strings.HasSuffix(domain.Name, "."+domains[0].Name) {
			errs = append(errs, field.Invalid(at.Child("name"), domain.Name, "must not be below the first domain, where Shoots have their names"))
		}
		seen = append(seen, domain.Name)
		if domain.Provider != nil && !slices.Contains(providers, *domain.Provider) {
			errs = append(errs, field.Invalid(at.Child("provider"), *domain.Provider, "must be the name of one of spec.dns.providers"))
		}
	}
	return errs
}

func validateDomain(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	return errs
}

// FirstDomain returns the domain below which the virtual garden has its names.
func FirstDomain(dns operatorv1alpha1.DNS) (string, error) {
	switch {
	case len(dns.Domains) > 0:
		return dns.Domains[0].Name, nil
	case dns.Domain != nil:
		return *dns.Domain, nil
	}
	return "", fmt.Errorf("spec.virtualCluster.dns.domains is empty")
}
