package core

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// tunnelNetwork is the address range of the tunnel between seeds and shoots.
var tunnelNetwork = netip.MustParsePrefix("192.168.123.0/24")

// ValidateReservedNetworks reports networks of a seed, and defaults for shoots, that overlap the network of the tunnel. It
// ignores unset and malformed ranges.
func ValidateReservedNetworks(networks *core.SeedNetworks, path *field.Path) field.ErrorList {
	type named struct {
		cidr *string
		path *field.Path
	}
	ranges := []named{{networks.Nodes, path.Child("nodes")}, {&networks.Pods, path.Child("pods")}, {&networks.Services, path.Child("services")}}
	if defaults := networks.ShootDefaults; defaults != nil {
		path := path.Child("shootDefaults")
		ranges = append(ranges, named{defaults.Pods, path.Child("pods")}, named{defaults.Services, path.Child("services")})
	}
	var errs field.ErrorList
	for _, one := range ranges {
		if one.cidr == nil {
			continue
		}
		if prefix, err := netip.ParsePrefix(*one.cidr); err == nil && prefix.Overlaps(tunnelNetwork) {
			errs = append(errs, field.Invalid(one.path, *one.cidr, fmt.Sprintf("must not overlap the network of the tunnel, %s", tunnelNetwork)))
		}
	}
	return errs
}
