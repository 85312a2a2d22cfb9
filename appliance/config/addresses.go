package config

import (
	"net"
	"net/netip"
	"strconv"
)

// KubeletPort is the usual port of kubelets; each node has an address of its own.
const KubeletPort = 10250

// FrontDoorAddress is host:port of the front door. port is the port that the landscape has chosen.
func (l *Landscape) FrontDoorAddress(port int32) string {
	return net.JoinHostPort(l.FrontDoor.Address, strconv.Itoa(int(port)))
}

// NodeIP is the first address of the pod range. The embedded node itself uses it.
func (s Seed) NodeIP() string { return first(s.PodCIDR) }

// KubeletAddress is host:port of the embedded node's kubelet.
func (s Seed) KubeletAddress() string { return net.JoinHostPort(s.NodeIP(), strconv.Itoa(KubeletPort)) }

// KubernetesIP is the cluster IP of the Service default/kubernetes: the first of the range.
func (s Seed) KubernetesIP() string { return first(s.ServiceCIDR) }

// NameServerIP is the cluster IP at which pods in sandboxes on the embedded seed ask for names: the tenth of the range, as in shoots. The API
// server gives the first ones of a range to Services that ask for them only.
func (s Seed) NameServerIP() string { return nth(s.ServiceCIDR, 10) }

// nth is an address of a valid range, counted from the network address.
func nth(cidr string, n int) string {
	address := netip.MustParsePrefix(cidr).Addr()
	for range n {
		address = address.Next()
	}
	return address.String()
}

// first returns the first usable address of a valid range, which follows the network address.
func first(cidr string) string { return nth(cidr, 1) }
