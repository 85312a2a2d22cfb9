package operator

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const ingressController = "nginx"

func validateRuntime(runtime *operatorv1alpha1.RuntimeCluster, providers []string, path *field.Path) field.ErrorList {
	errs := validateDomains(runtime.Ingress.Domain, runtime.Ingress.Domains, providers, path.Child("ingress"))
	if kind := runtime.Ingress.Controller.Kind; kind != ingressController {
		errs = append(errs, field.NotSupported(path.Child("ingress", "controller", "kind"), kind, []string{ingressController}))
	}
	errs = append(errs, validateRuntimeNetworks(&runtime.Networking, path.Child("networking"))...)
	errs = append(errs, validateZones(runtime.Provider.Zones, path.Child("provider", "zones"))...)
	if runtime.Settings != nil && runtime.Settings.LoadBalancerServices != nil {
		policies := []corev1.ServiceExternalTrafficPolicy{corev1.ServiceExternalTrafficPolicyCluster, corev1.ServiceExternalTrafficPolicyLocal}
		if policy := runtime.Settings.LoadBalancerServices.ExternalTrafficPolicy; policy != nil && !slices.Contains(policies, *policy) {
			errs = append(errs, field.NotSupported(path.Child("settings", "loadBalancerServices", "externalTrafficPolicy"), *policy, policies))
		}
	}
	if runtime.Volume != nil && runtime.Volume.MinimumSize != nil && runtime.Volume.MinimumSize.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("volume", "minimumSize"), runtime.Volume.MinimumSize.String(), "must be greater than 0"))
	}
	return errs
}

func validateZones(zones []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, zone := range zones {
		if zone == "" {
			errs = append(errs, field.Required(path.Index(i), "a zone has a name"))
		} else if slices.Contains(zones[:i], zone) {
			errs = append(errs, field.Duplicate(path.Index(i), zone))
		}
	}
	return errs
}

// network is a range and its place in the object.
type network struct {
	prefix netip.Prefix
	path   *field.Path
}

func validateRuntimeNetworks(networking *operatorv1alpha1.RuntimeNetworking, path *field.Path) field.ErrorList {
	nodes, errs := parseNetworks(networking.Nodes, path.Child("nodes"), false)
	pods, more := parseNetworks(networking.Pods, path.Child("pods"), true)
	errs = append(errs, more...)
	services, more := parseNetworks(networking.Services, path.Child("services"), true)
	errs = append(errs, more...)
	_, more = parseNetworks(networking.BlockCIDRs, path.Child("blockCIDRs"), false)
	errs = append(errs, more...)
	all := slices.Concat(nodes, pods, services)
	for i, one := range all {
		for _, other := range all[:i] {
			if one.prefix.Overlaps(other.prefix) {
				errs = append(errs, field.Invalid(one.path, one.prefix.String(), "must not overlap "+other.path.String()+", which is "+other.prefix.String()))
			}
		}
	}
	return errs
}

func parseNetworks(texts []string, path *field.Path, required bool) ([]network, field.ErrorList) {
	if required && len(texts) == 0 {
		return nil, field.ErrorList{field.Required(path, "name at least one range, such as 10.0.0.0/16")}
	}
	var out []network
	var errs field.ErrorList
	for i, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix != prefix.Masked() {
			errs = append(errs, field.Invalid(path.Index(i), text, "must be a range in CIDR notation without bits of a host, such as 10.0.0.0/16"))
			continue
		}
		out = append(out, network{prefix, path.Index(i)})
	}
	return out, errs
}
