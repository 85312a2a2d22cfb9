package neighbours

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// Choice is what two landscapes on a machine cannot share. Empty fields are not chosen.
type Choice struct {
	PodCIDR, ServiceCIDR string
	Port                 *int32
}

// PortStep lies between the ports that are tried for front doors. A landscape may use the ports in between for the front doors of its
// exposure classes.
const PortStep = 100

// Choose completes what the user has chosen, for a landscape with a state directory of its own. A landscape that exists keeps what it
// has; a new one gets the first that no other landscape has and nothing listens at. Only embedded seeds have ranges on this machine.
func Choose(given Choice, cfg *config.Landscape, mine Landscape, others []Landscape) (Choice, error) {
	others = slices.DeleteFunc(slices.Clone(others), func(l Landscape) bool { return l.StateDir == mine.StateDir })
	chosen := given
	if given.Port == nil {
		port := mine.Port
		if port == 0 {
			port = freePort(cfg.FrontDoor.Address, others)
		}
		chosen.Port = &port
	}
	if given.PodCIDR != "" && given.ServiceCIDR != "" || cfg.Seed.Kind() {
		return chosen, nil
	}
	pods, services := mine.PodCIDR, mine.Services
	if pods == "" {
		var err error
		if pods, services, err = freeRanges(append(others, Landscape{PodCIDR: given.PodCIDR, Services: given.ServiceCIDR})); err != nil {
			return chosen, err
		}
	}
	chosen.PodCIDR, chosen.ServiceCIDR = cmp.Or(given.PodCIDR, pods), cmp.Or(given.ServiceCIDR, services)
	return chosen, nil
}

// freePort returns the default port or one that lies above it. If all are taken it returns the default, and whoever checks it says
// who needs another one.
func freePort(host string, others []Landscape) int32 {
	for port := config.DefaultFrontDoorPort; port < config.DefaultFrontDoorPort+20*PortStep; port += PortStep {
		taken := slices.ContainsFunc(others, func(l Landscape) bool { return l.Port == port })
		if !taken && state.Probe(net.JoinHostPort(host, strconv.Itoa(int(port)))) == nil {
			return port
		}
	}
	return config.DefaultFrontDoorPort
}

var errNoRanges = errors.New(`all ranges in 127.64.0.0/11 and 127.96.0.0/11 are taken by other landscapes: remove one ("gardener landscape list" shows them), or choose seed.podCIDR and seed.serviceCIDR`)

// freeRanges returns the default ranges or others of the same size. Further seeds of a landscape have ranges beside its own, so that
// every second pair is tried first.
func freeRanges(others []Landscape) (pods, services string, err error) {
	var taken []netip.Prefix
	for _, other := range others {
		taken = append(taken, other.ranges()...)
	}
	used, err := Listeners()
	if err != nil {
		return "", "", err
	}
	for _, first := range []int{0, 1} {
		for number := first; number < 32; number += 2 {
			pods, services := beside(config.DefaultPodCIDR, number), beside(config.DefaultServiceCIDR, number)
			inUse := func(address netip.Addr) bool { return pods.Contains(address) || services.Contains(address) }
			if !overlaps(pods, taken) && !overlaps(services, taken) && !slices.ContainsFunc(used, inUse) {
				return pods.String(), services.String(), nil
			}
		}
	}
	return "", "", errNoRanges
}

// beside is the range of a /16 that lies number ranges above.
func beside(cidr string, number int) netip.Prefix {
	address := netip.MustParsePrefix(cidr).Addr().As4()
	address[1] += byte(number)
	return netip.PrefixFrom(netip.AddrFrom4(address), 16)
}

func overlaps(prefix netip.Prefix, taken []netip.Prefix) bool {
	return slices.ContainsFunc(taken, prefix.Overlaps)
}
