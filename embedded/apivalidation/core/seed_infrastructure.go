package core

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// shortestServiceMask is the shortest mask of a service network that API servers accept.
const shortestServiceMask = 8

func validateSeedNetworks(networks *core.SeedNetworks, path *field.Path) field.ErrorList {
	errs := validateIPFamilies(networks.IPFamilies, path.Child("ipFamilies"))
	var ranges []namedRange
	add := func(cidr string, at *field.Path) {
		prefix, problems := parseCIDR(cidr, at)
		errs = append(errs, problems...)
		if len(problems) == 0 {
			ranges = append(ranges, namedRange{prefix: prefix, path: at})
		}
	}
	if networks.Nodes != nil {
		add(*networks.Nodes, path.Child("nodes"))
	}
	add(networks.Pods, path.Child("pods"))
	add(networks.Services, path.Child("services"))
	if services, err := netip.ParsePrefix(networks.Services); err == nil && services.Addr().Is4() && services.Bits() < shortestServiceMask {
		errs = append(errs, field.Invalid(path.Child("services"), networks.Services, "must have a mask of at least 8 bits"))
	}
	errs = append(errs, disjoint(ranges)...)
	errs = append(errs, ValidateReservedNetworks(networks, path)...)

	if defaults := networks.ShootDefaults; defaults != nil {
		for name, cidr := range map[string]*string{"pods": defaults.Pods, "services": defaults.Services} {
			if cidr != nil {
				_, problems := parseCIDR(*cidr, path.Child("shootDefaults", name))
				errs = append(errs, problems...)
			}
		}
	}
	for i, blocked := range networks.BlockCIDRs {
		_, problems := parseCIDR(blocked, path.Child("blockCIDRs").Index(i))
		errs = append(errs, problems...)
	}
	return errs
}

func validateSeedDNS(spec *core.SeedSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if spec.Ingress != nil {
		errs = append(errs, validateSubdomain(spec.Ingress.Domain, path.Child("ingress", "domain"))...)
		errs = append(errs, oneOf(spec.Ingress.Controller.Kind, path.Child("ingress", "controller", "kind"), core.IngressControllerNginx)...)
		if spec.DNS.Provider == nil {
			errs = append(errs, field.Required(path.Child("dns", "provider"), "must be set together with an ingress controller"))
		}
	}
	if provider := spec.DNS.Provider; provider != nil {
		at := path.Child("dns", "provider")
		errs = append(errs, required(provider.Type, at.Child("type"), "must name a DNS provider")...)
		if provider.CredentialsRef != nil {
			errs = append(errs, validateCredentialsReference(*provider.CredentialsRef, at.Child("credentialsRef"), false)...)
		} else {
			errs = append(errs, validateSecretReference(provider.SecretRef, at.Child("secretRef"))...)
		}
	}
	if spec.DNS.Internal != nil {
		errs = append(errs, validateDomainProvider(*spec.DNS.Internal, path.Child("dns", "internal"))...)
	}
	for i, domain := range spec.DNS.Defaults {
		errs = append(errs, validateDomainProvider(domain, path.Child("dns", "defaults").Index(i))...)
	}
	return errs
}

func validateDomainProvider(domain core.SeedDNSProviderConfig, path *field.Path) field.ErrorList {
	errs := required(domain.Type, path.Child("type"), "must name a DNS provider")
	errs = append(errs, validateSubdomain(domain.Domain, path.Child("domain"))...)
	return append(errs, validateCredentialsReference(domain.CredentialsRef, path.Child("credentialsRef"), false)...)
}

func validateSeedSettings(spec *core.SeedSpec, path *field.Path) field.ErrorList {
	settings := spec.Settings
	if settings == nil {
		return nil
	}
	var errs field.ErrorList
	if services := settings.LoadBalancerServices; services != nil {
		at := path.Child("loadBalancerServices")
		errs = append(errs, validateTrafficPolicy(services.ExternalTrafficPolicy, at.Child("externalTrafficPolicy"))...)
		errs = append(errs, unique(services.Zones, at.Child("zones"),
			func(z core.SeedSettingLoadBalancerServicesZones) string { return z.Name }, "name")...)
		if len(services.Zones) > 0 && len(spec.Provider.Zones) < 2 {
			errs = append(errs, field.Forbidden(at.Child("zones"), "needs at least two zones"))
		}
		for i, zone := range services.Zones {
			errs = append(errs, oneOf(zone.Name, at.Child("zones").Index(i).Child("name"), spec.Provider.Zones...)...)
			errs = append(errs, validateTrafficPolicy(zone.ExternalTrafficPolicy, at.Child("zones").Index(i).Child("externalTrafficPolicy"))...)
		}
	}
	if reservation := settings.ExcessCapacityReservation; reservation != nil {
		at := path.Child("excessCapacityReservation", "configs")
		for i, config := range reservation.Configs {
			if len(config.Resources) == 0 {
				errs = append(errs, field.Required(at.Index(i).Child("resources"), "must not be empty"))
			}
			for name, amount := range config.Resources {
				if amount.Sign() <= 0 {
					errs = append(errs, field.Invalid(at.Index(i).Child("resources").Key(string(name)), amount.String(), "must be greater than 0"))
				}
			}
		}
	}
	if vpa := settings.VerticalPodAutoscaler; vpa != nil {
		errs = append(errs, validateFeatureGates(vpa.FeatureGates, path.Child("verticalPodAutoscaler"))...)
		errs = append(errs, validateResourceBounds(vpa.MaxAllowed, nil, path.Child("verticalPodAutoscaler", "maxAllowed"))...)
	}
	if routing := settings.TopologyAwareRouting; routing != nil && routing.Enabled && len(spec.Provider.Zones) < 2 {
		errs = append(errs, field.Forbidden(path.Child("topologyAwareRouting", "enabled"), "needs at least two zones"))
	}
	if zones := settings.ZoneSelection; zones != nil {
		errs = append(errs, oneOf(zones.Mode, path.Child("zoneSelection", "mode"), core.ZoneSelectionModePrefer, core.ZoneSelectionModeEnforce)...)
	}
	return errs
}

func validateTrafficPolicy(policy *corev1.ServiceExternalTrafficPolicy, path *field.Path) field.ErrorList {
	if policy == nil {
		return nil
	}
	return oneOf(*policy, path, corev1.ServiceExternalTrafficPolicyCluster, corev1.ServiceExternalTrafficPolicyLocal)
}
