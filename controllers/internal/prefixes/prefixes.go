// Package prefixes reads networks from flags of components.
package prefixes

import (
	"fmt"
	"net/netip"
)

// Parse parses networks in the notation of CIDR, such as 10.0.0.0/8. An error names the flag.
func Parse(flag string, networks []string) (parsed []netip.Prefix, _ error) {
	for _, text := range networks {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		parsed = append(parsed, network.Masked())
	}
	return parsed, nil
}
