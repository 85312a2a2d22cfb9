package appliance

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/state"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// program is what a process runs: a landscape or the cluster of an own seed.
type program interface {
	listeners() state.Listeners
	hosts() pki.Hosts
	writeKubeconfigs() error
	parts(context.Context) ([]component.Part, error)
	// further are the supervisors of parts that start and stop with further seeds.
	further() []*component.Supervisor
	engine() string // the container engine of the first seed, if it has one
	ownSeeds() ownSeeds
}

// ownSeeds takes orders about further seeds.
type ownSeeds interface {
	Add(context.Context, daemon.NewSeed) error
	Remove(ctx context.Context, name string) error
	// Try returns the Seed that Add would add.
	Try(context.Context, daemon.NewSeed) (*gardencorev1beta1.Seed, error)
}

// orders sends an order to the supervisor of the program or, if it does not have the part, to those of further seeds.
func orders(what program, own *component.Supervisor, give func(*component.Supervisor, context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, part string) error {
		err := give(own, ctx, part)
		for _, further := range what.further() {
			if !errors.Is(err, component.ErrUnknownPart) {
				break
			}
			err = give(further, ctx, part)
		}
		return err
	}
}

// further are the parts of further seeds.
func further(what program) (statuses []component.Status) {
	for _, supervisor := range what.further() {
		statuses = append(statuses, supervisor.Statuses()...)
	}
	return statuses
}
