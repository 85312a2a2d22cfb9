package core

import (
	"slices"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// UnmanagedDNS reports whether Gardener publishes no records in the domain of a shoot. Admission allows such shoots any domain. So
// code that publishes records must call UnmanagedDNS first.
func UnmanagedDNS(dns *core.DNS) bool {
	return dns != nil && slices.ContainsFunc(dns.Providers, func(p core.DNSProvider) bool { return ptr.Deref(p.Type, "") == core.DNSUnmanaged })
}
