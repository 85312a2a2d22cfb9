package operation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// loadDomains finds the internal domain of the landscape and the external domain of the shoot.
func (o *Operation) loadDomains(ctx context.Context, garden client.Reader) error {
	secrets, err := domainSecrets(ctx, garden, o.Seed.Name)
	if err != nil {
		return err
	}
	internal := slices.IndexFunc(secrets, func(s corev1.Secret) bool {
		return s.Labels[constants.GardenRole] == constants.GardenRoleInternalDomain
	})
	if internal < 0 {
		return fmt.Errorf("namespace %q has no copy of the secret with the internal domain yet", constants.SeedNamespaceNamePrefix+o.Seed.Name)
	}
	o.Internal = domainOf(&secrets[internal])
	o.Internal.Name = InternalDomain(o.Shoot.Name, o.Project, o.Internal.Name)
	o.External, err = o.externalDomain(ctx, garden, secrets)
	return err
}

// domainSecrets lists the copies for the seed. The gardenlet may not read the originals in namespace garden.
func domainSecrets(ctx context.Context, garden client.Reader, seed string) ([]corev1.Secret, error) {
	namespace := constants.SeedNamespaceNamePrefix + seed
	var found []corev1.Secret
	for _, role := range []string{constants.GardenRoleInternalDomain, constants.GardenRoleDefaultDomain} {
		list := &corev1.SecretList{}
		if err := garden.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{constants.GardenRole: role}); err != nil {
			return nil, fmt.Errorf("list secrets of role %q in namespace %q: %w", role, namespace, err)
		}
		found = append(found, list.Items...)
	}
	return found, nil
}

// externalDomain returns nil if the shoot has no domain, or one that Gardener does not manage.
func (o *Operation) externalDomain(ctx context.Context, garden client.Reader, secrets []corev1.Secret) (*Domain, error) {
	dns := o.Shoot.Spec.DNS
	if dns == nil || ptr.Deref(dns.Domain, "") == "" || helper.UnmanagedDNS(dns) {
		return nil, nil
	}
	primary := primaryProvider(dns.Providers)
	name := *dns.Domain
	if primary == nil || primary.Type == nil || (primary.SecretName == nil && primary.CredentialsRef == nil) {
		if base := defaultDomainFor(name, secrets); base != nil {
			domain := domainOf(base)
			domain.Name = name
			return domain, nil
		}
	}
	domain := &Domain{Name: name}
	switch {
	case o.Shoot.DeletionTimestamp != nil: // nothing is published
		return domain, nil
	case primary == nil:
		return nil, misconfigured("no default domain contains the domain %q of the shoot, and no provider in spec.dns.providers is primary: "+
			"set a primary provider, or one of type %s if you publish the domain yourself", name, gardencorev1beta1.DNSUnmanaged)
	case ptr.Deref(primary.Type, "") == "":
		return nil, misconfigured("the primary provider in spec.dns.providers has no type")
	}
	domain.Provider = *primary.Type
	if primary.Zones != nil && len(primary.Zones.Include) == 1 {
		domain.Zone = primary.Zones.Include[0]
	}
	var err error
	domain.Credentials, err = o.dnsCredentials(ctx, garden, primary)
	return domain, err
}

// dnsCredentials are those of the DNS provider, or else those of the infrastructure, since both often belong to the
// same cloud.
func (o *Operation) dnsCredentials(ctx context.Context, garden client.Reader, provider *gardencorev1beta1.DNSProvider) (map[string][]byte, error) {
	name := ptr.Deref(provider.SecretName, "")
	if ref := provider.CredentialsRef; ref != nil {
		if ref.Kind != "Secret" {
			return nil, misconfigured("the primary DNS provider refers to a %s, only Secrets are supported", ref.Kind)
		}
		name = ref.Name
	}
	if name == "" {
		if o.Credentials != nil {
			return o.Credentials.Data, nil
		}
		if o.KeepCredentials {
			return nil, nil
		}
		return nil, misconfigured("the primary DNS provider %q has no credentials, neither has the shoot", *provider.Type)
	}
	secret, err := ReadSecret(ctx, garden, client.ObjectKey{Namespace: o.Shoot.Namespace, Name: name})
	switch {
	case apierrors.IsNotFound(err):
		return nil, misconfigured("the secret %q with the credentials of the primary DNS provider does not exist", name)
	case Refused(err) && o.Shoot.DeletionTimestamp != nil:
		return nil, nil // the deletion of a record needs none
	case err != nil:
		return nil, fmt.Errorf("DNS credentials: %w", err)
	}
	return secret.Data, nil
}

func primaryProvider(providers []gardencorev1beta1.DNSProvider) *gardencorev1beta1.DNSProvider {
	for i := range providers {
		if ptr.Deref(providers[i].Primary, false) {
			return &providers[i]
		}
	}
	return nil
}

// defaultDomainFor returns the default domain that contains the name. If there are several, the one with the highest
// priority wins.
func defaultDomainFor(name string, secrets []corev1.Secret) *corev1.Secret {
	var best *corev1.Secret
	for i := range secrets {
		secret := &secrets[i]
		domain := secret.Annotations[constants.DNSDomain]
		if secret.Labels[constants.GardenRole] != constants.GardenRoleDefaultDomain || !strings.HasSuffix(name, "."+domain) {
			continue
		}
		if best == nil || priority(secret) > priority(best) {
			best = secret
		}
	}
	return best
}

func priority(secret *corev1.Secret) int {
	value, _ := strconv.Atoi(secret.Annotations[constants.DNSDefaultDomainPriority])
	return value
}

func domainOf(secret *corev1.Secret) *Domain {
	return &Domain{
		Name:        secret.Annotations[constants.DNSDomain],
		Provider:    secret.Annotations[constants.DNSProvider],
		Zone:        secret.Annotations[constants.DNSZone],
		Credentials: secret.Data,
	}
}

// InternalDomain is the domain of a shoot in the internal domain. The label internal is inserted unless the domain
// already contains it.
func InternalDomain(shoot, project, domain string) string {
	parts := []string{shoot, project, domain}
	if !slices.Contains(strings.Split(domain, "."), constants.InternalDomainKey) {
		parts = []string{shoot, project, constants.InternalDomainKey, domain}
	}
	return strings.Join(parts, ".")
}
