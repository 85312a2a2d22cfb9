package operatorhost

import (
	"context"
	"fmt"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/gardens"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/servers"
)

// Parts are all parts of a landscape. The host of the Garden is described before they are listed.
type Parts struct{ listed []component.Part }

// List keeps the parts and returns them. Call it before any part starts.
func (p *Parts) List(parts []component.Part) []component.Part {
	p.listed = parts
	return parts
}

// Ready returns a function that asks a part whether it serves.
func (p *Parts) Ready(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, part := range p.listed {
			if part.Name() != name {
				continue
			}
			if err := part.Ready(ctx); err != nil {
				return fmt.Errorf("part %q of the landscape does not serve: %w", name, err)
			}
			return nil
		}
		return fmt.Errorf("the landscape has no part %q", name)
	}
}

// componentParts are the parts that are components of the Garden.
func componentParts() gardens.Parts {
	return gardens.Parts{
		ETCD: servers.EtcdGarden, APIServer: servers.GardenAPIServer, Controllers: servers.GardenControllers,
		GardenerAPIServer: servers.GardenerAPIServer, GardenerAPI: servers.GardenerAPI,
		ControllerManager: managers.ControllerManager, Scheduler: managers.Scheduler, AdmissionController: managers.Admission,
		SeedOperators: managers.Operators, FrontDoor: servers.FrontDoor, Metrics: servers.Metrics,
	}
}
