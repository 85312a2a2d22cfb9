package node

import (
	"fmt"
	"net/netip"
)

// Loopback addresses of embedded nodes. The pods of a seed have addresses in a range of the lower half of 127.0.0.0/8, such as
// 127.64.0.0/16. A pod that is itself a node of a shoot has an address 127.x.a.b there. It gives its own pods addresses from a /25
// of nodePods, numbered by a.b. The 2^16 numbers times 128 addresses fill 127.128.0.0/9 exactly, so no two nodes of a landscape can
// collide. Landscapes on the same machine share the upper half; hardly any pod of a shoot listens there.
var (
	loopback = netip.MustParsePrefix("127.0.0.0/8")
	nodePods = netip.MustParsePrefix("127.128.0.0/9")
	ownPods  = netip.MustParsePrefix("127.128.0.0/16") // where a node has a network of its own, as in a container
)

// DefaultPodRange returns the range of pod addresses of the node with the given address. It fails for loopback
// addresses of 127.128.0.0/9, the pods of such nodes, for which no range is reserved.
func DefaultPodRange(nodeIP netip.Addr) (netip.Prefix, error) {
	if !loopback.Contains(nodeIP) {
		return ownPods, nil
	}
	if nodePods.Contains(nodeIP) {
		return netip.Prefix{}, fmt.Errorf("no pod range is reserved for node address %s: name one", nodeIP)
	}
	ip := nodeIP.As4()
	number := uint32(ip[2])<<8 | uint32(ip[3])
	offset := number << 7
	start := nodePods.Addr().As4()
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{
		start[0], start[1] + byte(offset>>16), start[2] + byte(offset>>8), start[3] + byte(offset),
	}), 25), nil
}
