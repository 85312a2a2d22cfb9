package apiserver

import (
	"net/netip"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// nodeRanges are the networks of the seed in which the nodes of the shoot are: embedded nodes are pods of the seed.
func (s Server) nodeRanges() []string {
	if s.Operation.Seed == nil || s.Operation.Workerless() || s.Exposure.Tunnelled() {
		return nil
	}
	return operation.Ranges(s.Operation.Seed.Spec.Networks.Pods)
}

// frontDoors are the front doors with an address of their own. Everybody may use them, and issuers of tokens are behind them.
func (s Server) frontDoors() []string {
	address, err := netip.ParseAddr(s.Exposure.FrontDoorAddress)
	if err != nil {
		return nil
	}
	return []string{netip.AddrPortFrom(address, uint16(s.Exposure.FrontDoorPort)).String()}
}
