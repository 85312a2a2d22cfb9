package managers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/seedlogin"
	gardenletseed "github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Remote runs the managers of a remote seed. Each of its parts has a counterpart in the first seed.
type Remote struct {
	roles
	garden cluster.Cluster // the managers of the first seed run its cache
}

// Remote returns the managers of a remote seed, which do not run yet. garden is the cluster that First.Garden returned.
func (f *First) Remote(garden cluster.Cluster, seed Seed) *Remote {
	r := &Remote{garden: garden}
	r.prepare(f.SeedInputs, seed, false, func(name string) string { return PartOf(name, seed.Name()) })
	return r
}

// PartOf returns the name that a part has in a remote seed.
func PartOf(name, seed string) string { return name + "-" + seed }

// Parts are the CRDs of the seed, its caches and its roles. They start after the parts named in before.
func (r *Remote) Parts(before ...string) []component.Part {
	kinds, caches := r.part(SeedKinds), r.part(Caches)
	after := append([]string{caches}, before...)
	return []component.Part{
		{Component: component.NewStep(kinds, r.installKinds, nil)},
		{After: []string{kinds}, Component: loop.New(caches, r.run, r.cachesReady)},
		{After: after, Restart: true, Component: r.role(r.part(Gardenlet), r.gardenlet)},
		{After: after, Restart: true, Component: r.role(r.part(Operators), r.operators)},
		r.controlPlanes(caches),
	}
}

func (r *Remote) installKinds(ctx context.Context) error {
	config, err := r.seed.Config()
	if err != nil {
		return err
	}
	c, err := Client(config, install.AddSeed)
	if err != nil {
		return err
	}
	return gardenletseed.InstallCRDs(ctx, c)
}

func (r *Remote) run(ctx context.Context) error { return r.runCaches(ctx, r.garden) }

func (r *Remote) operators(_ context.Context, shared clusters) ([]manager.Manager, error) {
	mgr, err := r.manager(r.part(Operators), shared.seed)
	if err != nil {
		return nil, err
	}
	gardenManager, err := r.manager(r.part("garden-operators"), shared.garden)
	if err != nil {
		return nil, err
	}
	if err := seedlogin.AddToManager(gardenManager, r.seed.Name(), r.seed.Config); err != nil {
		return nil, err
	}
	return []manager.Manager{mgr, gardenManager}, r.addOperators(mgr)
}
