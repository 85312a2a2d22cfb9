package config

import (
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// Networks are the private networks of valid tenants.
func (t Tenants) Networks() []netip.Prefix {
	var out []netip.Prefix
	for _, text := range t.PrivateNetworks {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			out = append(out, prefix)
		}
	}
	return out
}

// OpenOutside reports whether containers in sandboxes reach the outside.
func (t Tenants) OpenOutside() bool { return ptr.Deref(t.Outside, true) }

func validateTenants(path *field.Path, t Tenants) field.ErrorList {
	var errs field.ErrorList
	for i, text := range t.PrivateNetworks {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix != prefix.Masked() || !guardeddial.IsPrivate(prefix) {
			errs = append(errs, field.Invalid(path.Child("privateNetworks").Index(i), text,
				"must be a range of private addresses without host bits, such as 192.168.0.0/16: public addresses are reached anyway, loopback and link-local ones never"))
		}
	}
	return errs
}
