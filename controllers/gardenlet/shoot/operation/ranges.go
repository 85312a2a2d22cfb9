package operation

import (
	"net/netip"

	"k8s.io/utils/ptr"
)

// SeedRanges are the networks of the seed, where the control planes of all shoots run.
func (o *Operation) SeedRanges() []string {
	if o.Seed == nil {
		return nil
	}
	networks := o.Seed.Spec.Networks
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
