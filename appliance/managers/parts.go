package managers

import (
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
)

// Parts are the CRDs of the seed, the caches and all roles. serving names the part that is ready when the seed's API server
// serves. before names the parts that must be ready before the caches are filled.
func (f *First) Parts(serving string, before ...string) []component.Part {
	parts := []component.Part{
		{After: []string{serving}, Title: Title, Component: component.NewStep(SeedKinds, f.installKinds, nil)},
		{After: append([]string{SeedKinds}, before...), Title: Title, Component: loop.New(Caches, f.run, f.cachesReady)},
	}
	parts = append(parts, f.controlPlanes(Caches))
	for _, role := range []component.Part{ // each may be stopped and started alone
		{Component: f.role(ControllerManager, f.garden.controllerManager), Health: f.garden.controllerManagerHealth()},
		{Component: f.role(Scheduler, f.garden.scheduler), Health: f.garden.schedulerHealth()},
		{Component: f.role(Admission, f.garden.admission, f.garden.admissionReady)},
		{Component: f.role(Gardenlet, f.gardenlet), Health: f.Gardenlets.Health()},
		{Component: f.role(Operators, f.operators)},
		{Component: f.role(GardenOperator, f.gardenOperator)},
	} {
		role.After, role.Title, role.Restart = []string{Caches}, Title, true
		parts = append(parts, role)
	}
	return parts
}
