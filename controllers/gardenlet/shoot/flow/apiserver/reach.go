package apiserver

import (
	"net/netip"

	"k8s.io/utils/ptr"
)

// seedRanges are the networks of the seed, which the users of a shoot do not reach through its API server.
func (s Server) seedRanges() []string {
	if s.Operation.Seed == nil {
		return nil
	}
	networks := s.Operation.Seed.Spec.Networks
	return valid(networks.Pods, networks.Services, ptr.Deref(networks.Nodes, ""))
}

// nodeRanges are the networks of the seed in which the nodes of the shoot are: embedded nodes are pods of the seed.
func (s Server) nodeRanges() []string {
	if s.Operation.Seed == nil || s.Operation.Workerless() || s.Exposure.Tunnelled() {
		return nil
	}
	return valid(s.Operation.Seed.Spec.Networks.Pods)
}

func valid(ranges ...string) []string {
	var out []string
	for _, text := range ranges {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			out = append(out, prefix.Masked().String())
		}
	}
	return out
}

// frontDoors are the front doors with an address of their own. Everybody may use them, and issuers of tokens are behind them.
func (s Server) frontDoors() []string {
	address, err := netip.ParseAddr(s.Exposure.FrontDoorAddress)
	if err != nil {
		return nil
	}
	return []string{netip.AddrPortFrom(address, uint16(s.Exposure.FrontDoorPort)).String()}
}
