package operation

import (
	"fmt"
	"net"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Networks are the networks of a shoot.
type Networks struct {
	// Type of the network extension, empty if the shoot has none.
	Type string
	// Pods and Services are the ranges of pods and of Services.
	Pods, Services string
	// Nodes is the range of nodes, empty if the provider chooses it.
	Nodes string
}

// Networks are the networks in the Shoot. Ranges of pods and Services that the Shoot leaves open get the defaults of its seed, or
// else the defaults of Gardener.
func (o *Operation) Networks() Networks {
	var wanted gardencorev1beta1.Networking
	if o.Shoot.Spec.Networking != nil {
		wanted = *o.Shoot.Spec.Networking
	}
	var seed gardencorev1beta1.ShootNetworks
	if o.Seed.Spec.Networks.ShootDefaults != nil {
		seed = *o.Seed.Spec.Networks.ShootDefaults
	}
	return Networks{
		Type:     NetworkType(o.Shoot),
		Pods:     first(gardencorev1beta1.DefaultPodNetworkCIDR, wanted.Pods, seed.Pods),
		Services: first(gardencorev1beta1.DefaultServiceNetworkCIDR, wanted.Services, seed.Services),
		Nodes:    ptr.Deref(wanted.Nodes, ""),
	}
}

func first(fallback string, values ...*string) string {
	for _, value := range values {
		if value != nil {
			return *value
		}
	}
	return fallback
}

// ServiceIP returns the n-th address in the range of Services: 1 is the API server, 10 the DNS server.
func (n Networks) ServiceIP(number byte) (net.IP, error) {
	_, network, err := net.ParseCIDR(n.Services)
	if err != nil {
		return nil, fmt.Errorf("read service range: %w", err)
	}
	ip := append(net.IP(nil), network.IP...)
	ip[len(ip)-1] += number
	return ip, nil
}
