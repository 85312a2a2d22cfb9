package config

import (
	"net"
	"net/netip"
	"strconv"
)

// KubeletPort is the usual port of kubelets; each node has an address of its own.
const KubeletPort = 10250

// FrontDoorAddress is host:port of the front door of a landscape that has chosen the port.
func (l *Landscape) FrontDoorAddress(port int32) string {
	return net.JoinHostPort(l.FrontDoor.Address, strconv.Itoa(int(port)))
}

// NodeIP is the first address of the pod range; the embedded node takes it itself.
func (s Seed) NodeIP() string { return first(s.PodCIDR) }

// KubeletAddress is host:port of the kubelet of the embedded node.
func (s Seed) KubeletAddress() string { return net.JoinHostPort(s.NodeIP(), strconv.Itoa(KubeletPort)) }

// KubernetesIP is the cluster IP of the Service default/kubernetes: the first of the range.
func (s Seed) KubernetesIP() string { return first(s.ServiceCIDR) }

// first is the first address of a range after that of the network. The range is valid.
func first(cidr string) string { return netip.MustParsePrefix(cidr).Addr().Next().String() }
