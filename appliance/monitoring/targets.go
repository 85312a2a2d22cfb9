package monitoring

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/managers"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

// findFor is how long the search for targets may take. It precedes federation.Limits.Whole.
const findFor = 4 * time.Second

// Bounds of the lists of the garden.
const (
	pageSize   = 500
	mostShoots = 5000
)

// targets is federation.Finder.
func (f finder) targets(ctx context.Context, scope federation.Scope) ([]federation.Target, error) {
	ctx, cancel := context.WithTimeout(ctx, findFor)
	defer cancel()
	all := &found{}
	if scope.Includes(federation.Scope{Kind: federation.Garden}) {
		all.add(f.ofGarden()...)
	}
	if scope.Kind == federation.Garden {
		return all.targets, nil
	}
	shoots, err := f.shoots(ctx, scope)
	if err != nil {
		return nil, err
	}
	known := scope.Kind != federation.Seed
	var searches sync.WaitGroup
	for _, seed := range f.Seeds() {
		own := seedScope(seed.Name())
		if !scope.Includes(own) && scope.Kind != federation.Shoot {
			continue
		}
		known = true
		searches.Go(func() { f.inSeed(ctx, seed, scope.Includes(own), shoots[seed.Name()], all) })
	}
	searches.Wait()
	if !known {
		return nil, federation.ErrUnknownScope
	}
	return all.targets, nil
}

// shoots are those of the scope, by seed.
func (f finder) shoots(ctx context.Context, scope federation.Scope) (map[string][]*gardencorev1beta1.Shoot, error) {
	out := map[string][]*gardencorev1beta1.Shoot{}
	switch scope.Kind {
	case federation.Seed:
		return out, nil
	case federation.Shoot:
		shoot := &gardencorev1beta1.Shoot{}
		err := f.garden.Get(ctx, client.ObjectKey{Namespace: scope.Namespace, Name: scope.Name}, shoot)
		if apierrors.IsNotFound(err) {
			return nil, federation.ErrUnknownScope
		} else if err != nil {
			return nil, fmt.Errorf("read the shoot: %w", err)
		}
		out[seedOf(shoot)] = []*gardencorev1beta1.Shoot{shoot}
		return out, nil
	}
	list := &gardencorev1beta1.ShootList{}
	for read := 0; ; {
		if err := f.garden.List(ctx, list, client.Limit(pageSize), client.Continue(list.Continue)); err != nil {
			return nil, fmt.Errorf("list shoots: %w", err)
		}
		for i := range list.Items {
			shoot := &list.Items[i]
			out[seedOf(shoot)] = append(out[seedOf(shoot)], shoot.DeepCopy())
		}
		if read += len(list.Items); list.Continue == "" || read >= mostShoots {
			return out, nil
		}
	}
}

// inSeed finds what is of the seed itself, if that is wanted, and what is of shoots.
func (f finder) inSeed(ctx context.Context, seed managers.Seed, itself bool, shoots []*gardencorev1beta1.Shoot, all *found) {
	config, err := seed.Config()
	if err != nil {
		all.add(down(seedScope(seed.Name()), jobAPIServer, seed.Name(), err))
		return
	}
	if itself {
		all.add(f.ofSeed(ctx, seed.Name(), config)...)
	}
	if len(shoots) > 0 {
		inNamespaces{seed: seed, config: config}.find(ctx, shoots, all)
	}
}
