package shoot

import (
	"fmt"
	"net/netip"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// networksAreDisjoint excludes seeds whose address ranges overlap with those of the shoot: pods of the control plane
// could not distinguish the addresses. A range that the shoot leaves open is the default of the seed.
func networksAreDisjoint(r *Request, seed *gardencorev1beta1.Seed) error {
	seedRanges := map[string]*string{
		"nodes": seed.Spec.Networks.Nodes, "pods": &seed.Spec.Networks.Pods, "services": &seed.Spec.Networks.Services,
	}
	for shootName, shootRange := range shootRanges(r.Shoot, seed.Spec.Networks.ShootDefaults) {
		for seedName, seedRange := range seedRanges {
			if overlaps(shootRange, seedRange) {
				return fmt.Errorf("network for %s %s overlaps with that for %s %s of the shoot", seedName, *seedRange, shootName, *shootRange)
			}
		}
	}
	return nil
}

func shootRanges(shoot *gardencorev1beta1.Shoot, defaults *gardencorev1beta1.ShootNetworks) map[string]*string {
	ranges := map[string]*string{}
	if defaults != nil {
		ranges["pods"], ranges["services"] = defaults.Pods, defaults.Services
	}
	networking := shoot.Spec.Networking
	if networking == nil {
		return ranges
	}
	ranges["nodes"] = networking.Nodes
	if networking.Pods != nil {
		ranges["pods"] = networking.Pods
	}
	if networking.Services != nil {
		ranges["services"] = networking.Services
	}
	return ranges
}

// overlaps ignores missing and malformed ranges; the API server refuses the latter.
func overlaps(a, b *string) bool {
	if a == nil || b == nil {
		return false
	}
	first, err := netip.ParsePrefix(*a)
	if err != nil {
		return false
	}
	second, err := netip.ParsePrefix(*b)
	return err == nil && first.Overlaps(second)
}
