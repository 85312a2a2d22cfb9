package preflight

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// shootNetworks are where Services and pods of shoots are, unless a Shoot chooses others. Some VPNs and providers use them, too.
var shootNetworks = netip.MustParsePrefix("100.64.0.0/10")

// network is one that this machine reaches by a device.
type network struct {
	device string
	netip.Prefix
}

// networks are those of the devices of this machine but the loopback device, and those that routes lead to. Default routes are no networks.
func networks() []network {
	var found []network
	devices, _ := net.Interfaces() // without them, nothing is told
	for _, device := range devices {
		addresses, _ := device.Addrs()
		for _, address := range addresses {
			if prefix, err := netip.ParsePrefix(address.String()); err == nil && device.Flags&net.FlagLoopback == 0 {
				found = append(found, network{device.Name, prefix.Masked()})
			}
		}
	}
	routes, _ := os.ReadFile("/proc/net/route")
	return append(found, routed(string(routes))...)
}

// routed reads the table of routes of the kernel. It has addresses as hexadecimal numbers in the order of bytes of this machine.
func routed(table string) []network {
	var found []network
	for line := range strings.Lines(table) {
		columns := strings.Fields(line)
		if len(columns) < 8 || columns[0] == "lo" {
			continue
		}
		address, err := number(columns[1])
		mask, failed := number(columns[7])
		if err != nil || failed != nil {
			continue // the header
		}
		if bits, _ := net.IPMask(mask[:]).Size(); bits > 0 {
			found = append(found, network{columns[0], netip.PrefixFrom(netip.AddrFrom4(address), bits)})
		}
	}
	return found
}

// number reads the four bytes of an address or a mask.
func number(text string) (out [4]byte, err error) {
	value, err := strconv.ParseUint(text, 16, 32)
	binary.NativeEndian.PutUint32(out[:], uint32(value))
	return out, err
}

// widest are the shortest prefixes that count. VPNs that take all traffic have shorter ones as well as default routes. They do not mean
// particular networks.
const widest = 8

// checkNetworks compares the networks of this machine with those of a landscape and its shoots. Loopback addresses of the landscape's own are
// out of the reach of routes, and whether they answer is another check.
func checkNetworks(cfg *config.Landscape, found []network) doctor.Finding {
	finding := doctor.Finding{Check: "networks", State: doctor.OK, Message: "no other network overlaps with those of the landscape and its shoots"}
	found = slices.DeleteFunc(slices.Clone(found), func(n network) bool { return n.Bits() < widest })
	own := []netip.Prefix{}
	for _, text := range []string{cfg.Seed.PodCIDR, cfg.Seed.ServiceCIDR} {
		if prefix, err := netip.ParsePrefix(text); err == nil && !prefix.Addr().IsLoopback() {
			own = append(own, prefix)
		}
	}
	for _, n := range found {
		switch {
		case slices.ContainsFunc(own, n.Overlaps):
			finding.State = doctor.Warning
			finding.Message = fmt.Sprintf("%s leads to %s, where the seed has pods or Services: they do not reach servers there", n.device, n.Prefix)
			finding.Cure = "if they have to, choose seed.podCIDR and seed.serviceCIDR outside of it before the first start"
			return finding
		case n.Overlaps(shootNetworks):
			finding.State = doctor.Warning
			finding.Message = fmt.Sprintf("%s leads to %s, and shoots have Services and pods in %s: their containers do not reach servers there", n.device, n.Prefix, shootNetworks)
			finding.Cure = "if they have to, choose spec.networking.services and spec.networking.pods of the Shoot outside of it, for example 10.96.0.0/13 and 10.128.0.0/11"
		}
	}
	return finding
}
