// Package controlplanes tells whether the control planes of the shoots of a seed serve now. The conditions of a Shoot tell the
// same to its users, after a while.
package controlplanes

import (
	"context"
	"errors"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/loop"
)

// PartName is the name of the part of the first seed. In remote seeds, the name of the seed follows.
const PartName = "control-planes"

// Part watches the workloads of all control planes of a seed. It is ready while it can see them, and refuses while one of them
// does not serve that did before.
type Part struct {
	*loop.Loop
	cluster func() (client.Reader, error)

	mu   sync.Mutex
	seen seen
	ails string
}

// New returns the part of this name. The reader of the seed is asked for each time, and should read from a cache.
func New(name string, cluster func() (client.Reader, error)) *Part {
	p := &Part{cluster: cluster, seen: seen{}}
	p.Loop = loop.New(name, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}, p.look)
	return p
}

// Warning implements component.Warner.
func (p *Part) Warning() (text string, refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ails, p.ails != ""
}

func (p *Part) look(ctx context.Context) error {
	cluster, err := p.cluster()
	if err != nil {
		return err
	}
	deployments, sets := &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}
	err = errors.Join(cluster.List(ctx, deployments, client.UnsafeDisableDeepCopy), cluster.List(ctx, sets, client.UnsafeDisableDeepCopy))
	if err != nil {
		return fmt.Errorf("list the workloads of control planes: %w", err)
	}
	var all []workload
	for i := range deployments.Items {
		all = append(all, ofDeployment(&deployments.Items[i]))
	}
	for i := range sets.Items {
		all = append(all, ofSet(&sets.Items[i]))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.ails = p.seen.judge(all)
	return nil
}
