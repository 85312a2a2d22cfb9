package operation

import (
	"net/netip"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// SeedRanges are the networks of the seed, where the control planes of all shoots run.
func SeedRanges(seed *gardencorev1beta1.Seed) []string {
	if seed == nil {
		return nil
	}
	networks := seed.Spec.Networks
	return Ranges(networks.Pods, networks.Services, ptr.Deref(networks.Nodes, ""))
}

// Ranges returns those texts that are address ranges, without bits behind their prefix.
func Ranges(texts ...string) []string {
	var out []string
	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			out = append(out, prefix.Masked().String())
		}
	}
	return out
}
