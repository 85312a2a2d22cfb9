package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateDNS(dns *core.DNS, path *field.Path) field.ErrorList {
	if dns == nil {
		return nil
	}
	var errs field.ErrorList
	if dns.Domain != nil {
		errs = append(errs, validateSubdomain(*dns.Domain, path.Child("domain"))...)
	}
	primaries := 0
	unmanaged := false
	for i, provider := range dns.Providers {
		at := path.Child("providers").Index(i)
		primary := provider.Primary != nil && *provider.Primary
		if primary {
			primaries++
		}
		if primaries > 1 && primary {
			errs = append(errs, field.Forbidden(at.Child("primary"), "only one provider can be primary"))
		}
		if !primary && !isSet(provider.Type) && len(dns.Providers) > 1 {
			errs = append(errs, field.Required(at.Child("type"), "must name a DNS provider unless the provider is the primary one"))
		}
		if !primary && len(dns.Providers) > 1 && !isSet(provider.SecretName) && provider.CredentialsRef == nil {
			errs = append(errs, field.Required(at.Child("secretName"), "must name credentials unless the provider is the primary one"))
		}
		if reference := provider.CredentialsRef; reference != nil {
			errs = append(errs, oneOf(reference.APIVersion+" "+reference.Kind, at.Child("credentialsRef", "kind"), "v1 Secret", "security.gardener.cloud/v1alpha1 WorkloadIdentity")...)
			errs = append(errs, required(reference.Name, at.Child("credentialsRef", "name"), "must name the credentials")...)
		}
		if isSet(provider.Type) && *provider.Type == core.DNSUnmanaged {
			unmanaged = true
			if isSet(provider.SecretName) {
				errs = append(errs, field.Forbidden(at.Child("secretName"), "the provider unmanaged takes no credentials"))
			}
			if provider.CredentialsRef != nil {
				errs = append(errs, field.Forbidden(at.Child("credentialsRef"), "the provider unmanaged takes no credentials"))
			}
		}
	}
	if len(dns.Providers) > 0 && dns.Domain == nil && !unmanaged {
		errs = append(errs, field.Required(path.Child("domain"), "must be set together with providers"))
	}
	return append(errs, unique(dns.Providers, path.Child("providers"), dnsProviderKey, "")...)
}

// dnsProviderKey identifies a DNS provider by type and credentials.
func dnsProviderKey(provider core.DNSProvider) string {
	key := "type "
	if provider.Type != nil {
		key += *provider.Type
	}
	if provider.SecretName != nil {
		key += ", Secret " + *provider.SecretName
	}
	if provider.CredentialsRef != nil {
		key += ", " + provider.CredentialsRef.Kind + " " + provider.CredentialsRef.Name
	}
	return key
}
