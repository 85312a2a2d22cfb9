package core

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateNetworking(networking *core.Networking, workerless bool, path *field.Path) field.ErrorList {
	if networking == nil {
		if workerless {
			return nil
		}
		return field.ErrorList{field.Required(path, "must be set for a cluster with workers")}
	}
	var errs field.ErrorList
	if !workerless && !isSet(networking.Type) {
		errs = append(errs, field.Required(path.Child("type"), "must name a network extension"))
	}
	errs = append(errs, validateIPFamilies(networking.IPFamilies, path.Child("ipFamilies"))...)

	var ranges []namedRange
	for _, one := range []struct {
		cidr *string
		name string
	}{{networking.Nodes, "nodes"}, {networking.Pods, "pods"}, {networking.Services, "services"}} {
		if one.cidr == nil {
			continue
		}
		prefix, problems := parseCIDR(*one.cidr, path.Child(one.name))
		errs = append(errs, problems...)
		if len(problems) == 0 {
			ranges = append(ranges, namedRange{prefix: prefix, path: path.Child(one.name)})
		}
	}
	return append(errs, disjoint(ranges)...)
}

func validateNetworkingUpdate(networking, old *core.Networking, path *field.Path) field.ErrorList {
	if old == nil {
		return nil
	}
	if networking == nil {
		return field.ErrorList{field.Forbidden(path, "must not be unset")}
	}
	errs := immutableOnceSet(networking.Type, old.Type, path.Child("type"))
	errs = append(errs, immutableOnceSet(networking.Pods, old.Pods, path.Child("pods"))...)
	errs = append(errs, immutableOnceSet(networking.Services, old.Services, path.Child("services"))...)
	if !slices.Equal(networking.IPFamilies, old.IPFamilies) && !ipFamiliesMayChange(old.IPFamilies, networking.IPFamilies) {
		errs = append(errs, field.Forbidden(path.Child("ipFamilies"), "can only change between [IPv4] and [IPv4 IPv6]"))
	}
	return errs
}

func ipFamiliesMayChange(from, to []core.IPFamily) bool {
	single, dual := []core.IPFamily{core.IPFamilyIPv4}, []core.IPFamily{core.IPFamilyIPv4, core.IPFamilyIPv6}
	return len(from) == 0 || slices.Equal(from, single) && slices.Equal(to, dual) || slices.Equal(from, dual) && slices.Equal(to, single)
}
