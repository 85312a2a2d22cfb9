package neighbours

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/config"
)

// holdPort is that of kubelets: a landscape that looks for ranges notices the listener, and no pod has it at this address.
const holdPort = 10250

// hold keeps a range of pods from landscapes of other users and homes that choose at the same time: until the nodes of the landscape
// listen, nothing else shows that the range is taken. It listens at an address that no pod gets, near the end of the range. The error is
// EADDRINUSE if somebody else holds the range.
func hold(podCIDR string) (io.Closer, error) {
	prefix, err := netip.ParsePrefix(podCIDR)
	if err != nil {
		return nil, fmt.Errorf("hold a range of pods: %w", err)
	}
	last := prefix.Masked().Addr().As4()
	for bit := prefix.Bits(); bit < 32; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.AddrFrom4(last).Prev().Prev(), holdPort)))
	if err != nil {
		return nil, fmt.Errorf("hold range %s: %w", podCIDR, err)
	}
	return listener, nil
}

// ChooseAndHold is Choose for a landscape that starts next. A range that was chosen just now is held until the caller, whose landscape then
// listens there, closes it. held is nil if there is nothing to hold, or if it cannot be held: what is wrong with the machine, others find.
func ChooseAndHold(given Choice, cfg *config.Landscape, mine Landscape, others []Landscape) (chosen Choice, held io.Closer, err error) {
	for range 32 { // pairs of ranges
		if chosen, err = Choose(given, cfg, mine, others); err != nil || chosen.PodCIDR == given.PodCIDR || chosen.PodCIDR == mine.PodCIDR {
			return chosen, nil, err
		}
		held, err = hold(chosen.PodCIDR)
		if err == nil {
			return chosen, held, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return chosen, nil, nil
		}
	}
	return chosen, nil, err
}
