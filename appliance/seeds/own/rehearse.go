package own

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/seeds/kind"
	"github.com/gardener-up/gardener-up/appliance/store"
	gardenletconfig "github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local/containers"
)

// Try does what Add does, but makes and stores nothing. It returns the Seed as the garden would store it. A seed on kind needs the container
// engine.
func (o *Seeds) Try(ctx context.Context, wanted daemon.NewSeed) (*gardencorev1beta1.Seed, error) {
	further := described(wanted)
	garden, err := o.possible(further)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.new(ctx, garden, wanted.Name); err != nil {
		return nil, err
	}
	noted, err := choose(o.in, further)
	if err != nil {
		return nil, err
	}
	seed, err := o.describe(ctx, noted)
	if err != nil {
		return nil, err
	}
	object := seedOf(noted.Name, seed)
	tried := object.DeepCopy()
	tried.Spec.SecretRef, tried.Spec.Backup = nil, seed.Spec.Backup // the garden asks for the Secrets, which are written when the cluster runs
	if err := garden.Create(ctx, tried, client.DryRunAll); err != nil {
		return nil, fmt.Errorf("create seed %q: %w", noted.Name, err)
	}
	tried.Spec.SecretRef, tried.Spec.Backup = object.Spec.SecretRef, object.Spec.Backup
	return tried, nil
}

// describe describes the Seed of a cluster that need not exist.
func (o *Seeds) describe(ctx context.Context, noted store.Seed) (*gardenletconfig.SeedConfig, error) {
	if !noted.Kind() {
		return o.in.Gardenlets.Describe(noted.Name, noted.PodCIDR, noted.ServiceCIDR)
	}
	engine, err := o.in.Engine(ctx)
	if err != nil {
		return nil, err
	}
	nodes, err := kind.NodeRange(ctx, engine)
	if err != nil && !errors.Is(err, containers.ErrNotFound) { // the network is made with the first cluster
		return nil, err
	}
	return o.in.Gardenlets.DescribeKind(noted.Name, noted.PodCIDR, noted.ServiceCIDR, nodes)
}
