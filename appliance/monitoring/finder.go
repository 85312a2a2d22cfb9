package monitoring

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

// finder finds the targets of a scope.
type finder struct {
	Inputs
	garden client.Client
}

// found are targets that several searches find at once.
type found struct {
	mu      sync.Mutex
	targets []federation.Target
}

func (f *found) add(more ...federation.Target) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.targets = append(f.targets, more...)
}

func seedScope(name string) federation.Scope {
	return federation.Scope{Kind: federation.Seed, Name: name}
}

func shootScope(shoot *gardencorev1beta1.Shoot) federation.Scope {
	return federation.Scope{Kind: federation.Shoot, Namespace: shoot.Namespace, Name: shoot.Name}
}

// down is a target that nobody can ask.
func down(scope federation.Scope, job, instance string, reason error) federation.Target {
	return federation.Target{Cluster: scope.String(), Job: job, Instance: instance, Gather: func(context.Context) (federation.Families, error) {
		return nil, reason
	}}
}
