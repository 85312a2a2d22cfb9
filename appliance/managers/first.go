package managers

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/seedlogin"
	gardenletseed "github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Title is the progress line that a user sees while controllers start.
const Title = "controllers"

// First runs the managers of the garden and of the first seed, which is the runtime cluster of the garden.
type First struct {
	roles
	gardenConfig *rest.Config
	garden       gardenRoles
	operator     OperatorInputs
}

// NewFirst returns the managers, which do not run yet.
func NewFirst(in Inputs, seed Seed) *First {
	f := &First{gardenConfig: in.GardenConfig, garden: gardenRoles{in.Roles}, operator: in.Operator}
	f.prepare(in.Seeds, seed, true, func(name string) string { return name })
	return f
}

// Roles are the names of the parts that act for the garden and its first seed.
func Roles() []string { return []string{ControllerManager, Scheduler, Admission, Gardenlet, Operators} }

func (f *First) installKinds(ctx context.Context) error {
	config, err := f.seed.Config()
	if err != nil {
		return err
	}
	c, err := Client(config, install.AddSeed)
	if err != nil {
		return err
	}
	return gardenletseed.InstallRuntimeCRDs(ctx, c, crds.Operator, crds.SelfHosted) // the first seed is the runtime cluster, too
}

func (f *First) run(ctx context.Context) error {
	garden, err := newCluster(f.Log, "garden", f.gardenConfig, install.AddGarden)
	if err != nil {
		return err
	}
	return f.runCaches(ctx, garden, garden)
}

// operators are the operators of every seed, and the resource manager of the garden, whose objects are in the runtime
// cluster. The login of the seed is in the garden, too.
func (f *First) operators(_ context.Context, shared clusters) ([]manager.Manager, error) {
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
	if err := seedlogin.AddToManager(gardenManager, f.seed.Name(), f.seed.Config); err != nil {
		return nil, err
	}
	return []manager.Manager{seedManager, gardenManager}, f.addOperators(seedManager)
}

// Garden is the garden with the cache that all managers of the garden share. It returns an error while the caches do not
// run.
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

// Synced reports as an error that the cache of a manager is not filled. It waits for the cache only a moment.
func Synced(ctx context.Context, mgr manager.Manager) error { return synced(ctx, mgr) }
