package apiserver

import (
	"net/netip"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
)

// nodesInSeed reports whether the nodes of the shoot are pods of the seed, as embedded nodes are.
func (s Server) nodesInSeed() bool { return !helper.IsWorkerless(s.Shoot) && !s.Exposure.Tunnelled() }

// simulatedRanges are the networks of the Services and pods of the shoot, unless a tunnel leads to them. Embedded nodes only
// simulate pods, and outside of this machine the same addresses are those of strangers.
func (s Server) simulatedRanges() []string {
	if s.Exposure.Tunnelled() {
		return nil
	}
	texts := []string{s.Networks.Services}
	if networking := s.Shoot.Spec.Networking; networking != nil {
		texts = append(texts, ptr.Deref(networking.Pods, ""))
	}
	return operation.Ranges(texts...)
}

// frontDoors are the front doors with an address of their own. Everybody may use them, and issuers of tokens are behind them.
func (s Server) frontDoors() []string {
	address, err := netip.ParseAddr(s.Exposure.FrontDoorAddress)
	if err != nil {
		return nil
	}
	return []string{netip.AddrPortFrom(address, uint16(s.Exposure.FrontDoorPort)).String()}
}
