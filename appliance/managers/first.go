package managers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
	gardenletseed "github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Title is the line that a user sees while controllers start.
const Title = "controllers"

// First are the managers of the first seed and of the garden, whose runtime cluster the first seed is.
type First struct{ roles }

// NewFirst returns managers that do not run yet.
func NewFirst(in Inputs, seed Seed) *First {
	f := &First{}
	f.Inputs, f.seed, f.part = in, seed, func(name string) string { return name }
	return f
}

// Parts are the kinds of the seed, the caches and all roles. serving is the part that is ready when the seed's API server
// serves; before are parts that have to be ready before the caches are filled.
func (f *First) Parts(serving string, before ...string) []component.Part {
	parts := []component.Part{
		{After: []string{serving}, Title: Title, Component: component.NewStep(SeedKinds, f.installKinds, nil)},
		{After: append([]string{SeedKinds}, before...), Title: Title, Component: loop.New(Caches, f.run, f.cachesReady)},
	}
	for _, role := range []component.Part{ // each may stop and start without the others
		{Component: f.role(ControllerManager, f.controllerManager), Health: f.controllerManagerHealth()},
		{Component: f.role(Scheduler, f.scheduler), Health: f.schedulerHealth()},
		{Component: f.role(Gardenlet, f.gardenlet), Health: f.Gardenlets.Health()},
		{Component: f.role(Operators, f.operators)},
	} {
		role.After, role.Title, role.Restart = []string{Caches}, Title, true
		parts = append(parts, role)
	}
	return parts
}

// Roles are the names of the parts that act for the garden and its first seed.
func Roles() []string { return []string{ControllerManager, Scheduler, Gardenlet, Operators} }

func (f *First) installKinds(ctx context.Context) error {
	config, err := f.seed.Config()
	if err != nil {
		return err
	}
	c, err := Client(config, install.AddSeed)
	if err != nil {
		return err
	}
	return gardenletseed.InstallCRDs(ctx, c, crds.Operator, crds.SelfHosted) // the first seed is the runtime cluster, too
}

func (f *First) run(ctx context.Context) error {
	garden, err := newCluster(f.Log, "garden", f.GardenAs("appliance", f.Appliance), install.AddGarden)
	if err != nil {
		return err
	}
	return f.runCaches(ctx, garden, garden)
}

// operators are those of every seed and the resource manager of the garden, whose objects are in the runtime cluster.
func (f *First) operators(shared clusters) ([]manager.Manager, error) {
	seedManager, err := f.manager(Operators, shared.seed)
	if err != nil {
		return nil, err
	}
	gardenManager, err := f.manager("garden-operators", shared.garden)
	if err != nil {
		return nil, err
	}
	if err := addGardenResourceManager(gardenManager, seedManager); err != nil {
		return nil, err
	}
	return []manager.Manager{seedManager, gardenManager}, f.addOperators(seedManager)
}

// Garden is the garden with the cache that all managers of the garden share. It is an error while the caches do not run.
func (f *First) Garden() (cluster.Cluster, error) {
	shared := f.shared.Load()
	if shared == nil {
		return nil, errNoCaches
	}
	return shared.garden, nil
}

// Manager makes one more manager of the garden.
func (f *First) Manager(name string, garden cluster.Cluster) (manager.Manager, error) {
	return f.manager(name, garden)
}

// Synced asks for a moment whether the cache of a manager is filled.
func Synced(ctx context.Context, mgr manager.Manager) error { return synced(ctx, mgr) }
