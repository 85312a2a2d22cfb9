package own

import (
	"fmt"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// note chooses address ranges if the user gave none, and writes the seed to the store.
func note(in Inputs, wanted config.FurtherSeed) (store.Seed, error) {
	seed, err := choose(in, wanted)
	if err != nil {
		return seed, err
	}
	return seed, in.Store.SetSeed(seed)
}

// choose chooses address ranges if the user gave none.
func choose(in Inputs, wanted config.FurtherSeed) (store.Seed, error) {
	wanted = in.WithDefaults(wanted)
	seed := store.Seed{Name: wanted.Name, PodCIDR: wanted.PodCIDR, ServiceCIDR: wanted.ServiceCIDR, Created: time.Now().UTC(), NodeImage: wanted.NodeImage}
	if wanted.Kind() { // nobody else sees the ranges of a kind cluster
		return seed, nil
	}
	all, err := in.Store.Seeds()
	if err != nil {
		return seed, err
	}
	cidrs := slices.Clone(in.FirstRanges)
	for _, other := range all {
		if other.Kind() {
			continue
		}
		cidrs = append(cidrs, other.PodCIDR, other.ServiceCIDR)
	}
	taken, err := parseRanges(cidrs...)
	if err != nil {
		return seed, err
	}
	others, err := in.Neighbours()
	if err != nil {
		return seed, err
	}
	taken = append(taken, others...)
	if seed.PodCIDR == "" {
		first := in.FirstRanges
		if len(first) == 0 {
			first = []string{config.DefaultPodCIDR, config.DefaultServiceCIDR}
		}
		ranges, err := parseRanges(first...)
		if err != nil {
			return seed, err
		}
		used, err := in.Listeners()
		if err != nil {
			return seed, err
		}
		pods, services, err := chooseRanges(ranges[0], ranges[1], taken, used)
		if err != nil {
			return seed, err
		}
		seed.PodCIDR, seed.ServiceCIDR = pods.String(), services.String()
	}
	mine, err := parseRanges(seed.PodCIDR, seed.ServiceCIDR)
	if err != nil {
		return seed, err
	}
	for _, prefix := range mine {
		if overlapsAny(prefix, taken) {
			return seed, fmt.Errorf("range %s overlaps a range of another seed or landscape", prefix)
		}
	}
	return seed, nil
}
