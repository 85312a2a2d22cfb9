package appliance

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// kubeletPort is the usual port of kubelets; each node has an address of its own.
const kubeletPort = 10250

// portNames are the listeners of a landscape on 127.0.0.1 besides the front door.
var portNames = append([]string{"garden-apiserver", "gardener-apiserver", "gardener-controller-manager", "gardener-scheduler", "gardenlet"},
	clusterPortNames...)

// clusterPortNames are those of an embedded cluster.
var clusterPortNames = []string{"etcd-main", "etcd-events", "seed-apiserver", "dns"}

// containerPortNames are those that a container engine publishes. A container keeps its ports for its life, and has them
// already when the landscape starts again.
var containerPortNames = []string{"kind-apiserver", "kind-front-door"}

// ports of a landscape by name. They are chosen once and kept, so that kubeconfigs stay valid.
type ports map[string]int32

// choosePorts reuses what the store remembers unless it is taken by now.
func choosePorts(cfg *config.Landscape, s *store.Store, names []string) (ports, error) {
	chosen := ports{}
	if port := *cfg.FrontDoor.Port; port != 0 { // first, so that none of the others takes it
		if err := s.SetPort("front-door", port); err != nil {
			return nil, err
		}
		chosen["front-door"] = port
	} else if err := chosen.choose(s, "front-door", cfg.FrontDoor.Address, unused); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := chosen.choose(s, name, "127.0.0.1", unused); err != nil {
			return nil, err
		}
	}
	if cfg.Seed.Kind() {
		for _, name := range containerPortNames {
			if err := chosen.choose(s, name, "127.0.0.1", func(string) bool { return true }); err != nil {
				return nil, err
			}
		}
	}
	return chosen, nil
}

// portAttempts bounds the search for a port that none of ours has: the system may offer the same one again.
const portAttempts = 100

// choose keeps the port the store remembers if that is still good, or finds another one.
func (p ports) choose(s *store.Store, name, host string, good func(address string) bool) error {
	port, err := s.Port(name)
	if err != nil {
		return err
	}
	if port != 0 && !p.has(port) && good(net.JoinHostPort(host, portText(port))) {
		p[name] = port
		return nil
	}
	for range portAttempts {
		if port, err = freePort(host); err != nil {
			return fmt.Errorf("find a free port for %s: %w", name, err)
		}
		if !p.has(port) {
			p[name] = port
			return s.SetPort(name, port)
		}
	}
	return fmt.Errorf("find a free port for %s: %d attempts gave ports that other parts have", name, portAttempts)
}

func (p ports) has(port int32) bool {
	for _, taken := range p {
		if taken == port {
			return true
		}
	}
	return false
}

func unused(address string) bool { return probe(address) == nil }

func freePort(host string) (int32, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return int32(listener.Addr().(*net.TCPAddr).Port), nil
}

func (p ports) local(name string) string { return fmt.Sprintf("127.0.0.1:%d", p[name]) }
func (p ports) url(name string) string   { return "https://" + p.local(name) }

func frontDoorAddress(cfg *config.Landscape, port int32) string {
	return net.JoinHostPort(cfg.FrontDoor.Address, strconv.Itoa(int(port)))
}

// nodeIP is the first address of the pod range; the node takes it itself.
func nodeIP(cfg *config.Landscape) string { return nth(cfg.Seed.PodCIDR, 1) }

// kubernetesIP is the cluster IP of the Service default/kubernetes: the first of the range.
func kubernetesIP(cfg *config.Landscape) string { return nth(cfg.Seed.ServiceCIDR, 1) }

func nth(cidr string, n int) string {
	addr := netip.MustParsePrefix(cidr).Addr() // validated with the configuration
	for range n {
		addr = addr.Next()
	}
	return addr.String()
}

func parent(dir string) string { return filepath.Dir(dir) }

func portText(port int32) string { return strconv.Itoa(int(port)) }
