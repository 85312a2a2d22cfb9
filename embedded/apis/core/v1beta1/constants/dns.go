package constants

// Annotations of Secrets with a domain; names of DNS records.
const (
	// DNSProvider is the annotation with the type of the DNS provider.
	DNSProvider = "dns.gardener.cloud/provider"
	// DNSDomain is the annotation with the domain.
	DNSDomain = "dns.gardener.cloud/domain"
	// DNSZone is the annotation with the hosted zone.
	DNSZone = "dns.gardener.cloud/zone"
	// DNSDefaultDomainPriority is the annotation with the priority among default domains; the highest wins.
	DNSDefaultDomainPriority = "dns.gardener.cloud/domain-default-priority"
	// APIServerFQDNPrefix is the first label of API server names.
	APIServerFQDNPrefix = "api"
	// OwnerPrefix is the first label of the name whose record says which seed is responsible for a shoot.
	OwnerPrefix = "owner"
	// IngressPrefix is the first label of the ingress domain of a shoot.
	IngressPrefix = "ingress"
	// InternalDomainKey is the label between project and internal domain, unless the domain has it.
	InternalDomainKey = "internal"
	// DNSRecordInternalName names the record of the internal address.
	DNSRecordInternalName = "internal"
	// DNSRecordExternalName names the record of the external address.
	DNSRecordExternalName = "external"
	// DNSRecordIngressName names the record of the ingress.
	DNSRecordIngressName = "ingress"
	// DNSRecordOwnerName names the record that says which seed is responsible for a shoot.
	DNSRecordOwnerName = "owner"
	// AdvertisedAddressExternal names the advertised address of the external domain.
	AdvertisedAddressExternal = "external"
	// AdvertisedAddressExternalDomain names the advertised address of the external domain, if users reach the API server at an
	// address that needs no DNS, which then is the external one. Only this landscape uses it.
	AdvertisedAddressExternalDomain = "external-domain"
	// AdvertisedAddressInternal names the advertised address of the internal domain.
	AdvertisedAddressInternal = "internal"
	// AdvertisedAddressUnmanaged names the advertised address of a cluster without domains.
	AdvertisedAddressUnmanaged = "unmanaged"
	// AdvertisedAddressServiceAccountIssuer names the advertised address of the issuer.
	AdvertisedAddressServiceAccountIssuer = "service-account-issuer"
	// AdvertisedAddressWildcardTLSSeedBound names the advertised address with a certificate of the seed.
	AdvertisedAddressWildcardTLSSeedBound = "wildcard-tls-seed-bound"
)
