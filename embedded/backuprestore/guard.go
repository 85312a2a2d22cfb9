package backuprestore

import (
	"net"
	"net/netip"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// guard keeps this process from what is not public when it reaches object stores: the Secret of a store names the address, and whoever may
// write Secrets in the namespace of a shoot must not reach the machine or its neighbours through this process.
type guard struct {
	process func(guardeddial.Rules) error
	private []net.IPNet
}

func (g *guard) add(cmd *cobra.Command) {
	cmd.Flags().IPNetSliceVar(&g.private, "private-networks", nil, "private networks that object stores may be in")
}

// apply must be called before the first request.
func (g *guard) apply(stores ...store.Config) error {
	rules, remote := guardeddial.Rules{}, false
	for _, network := range g.private {
		if address, ok := netip.AddrFromSlice(network.IP); ok {
			bits, _ := network.Mask.Size()
			rules.Private = append(rules.Private, netip.PrefixFrom(address.Unmap(), bits))
		}
	}
	for _, config := range stores {
		_, is := location.Remote(config.Provider)
		remote = remote || is
	}
	if !remote {
		return nil
	}
	return g.process(rules)
}
