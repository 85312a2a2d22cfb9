// Package memory is a provider that keeps its resources in maps. Its controllers fulfil the extension contract and make nothing.
// Tests of other rooms use it for extensions that finish at once, fail on demand or make callers wait. For tests only.
package memory

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Provider records which resources exist and which methods were called. It is safe for concurrent use.
type Provider struct {
	mu      sync.Mutex
	things  map[string]bool
	calls   map[string][]string
	results map[string]error
}

// New makes an empty provider.
func New() *Provider {
	return &Provider{things: map[string]bool{}, calls: map[string][]string{}, results: map[string]error{}}
}

// Exists reports whether the resource that an object describes exists.
func (p *Provider) Exists(obj extensionsv1alpha1.Object) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.things[id(obj)]
}

// Calls lists the methods called for an object, oldest first.
func (p *Provider) Calls(obj extensionsv1alpha1.Object) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls[id(obj)]...)
}

// Fail makes every call for a kind return err, for instance contract.Waiting, without doing anything. A nil err makes calls succeed
// again.
func (p *Provider) Fail(kind string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results[kind] = err
}

// call records a call and carries it out. exists says whether the thing exists afterwards.
func (p *Provider) call(method string, obj extensionsv1alpha1.Object, exists bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[id(obj)] = append(p.calls[id(obj)], method)
	if err := p.results[contract.Kind(obj)]; err != nil {
		return err
	}
	p.things[id(obj)] = exists
	return nil
}

func id(obj extensionsv1alpha1.Object) string {
	return contract.Kind(obj) + " " + client.ObjectKeyFromObject(obj).String()
}

// Actuator is the provider's actuator for one kind.
type Actuator[T extensionsv1alpha1.Object] struct {
	Provider *Provider
}

// Reconcile implements contract.Actuator.
func (a Actuator[T]) Reconcile(_ context.Context, cluster *contract.Cluster, obj T) error {
	if err := a.Provider.call("Reconcile", obj, true); err != nil {
		return err
	}
	fill(obj, cluster)
	return nil
}

// Restore implements contract.Actuator.
func (a Actuator[T]) Restore(_ context.Context, cluster *contract.Cluster, obj T) error {
	if err := a.Provider.call("Restore", obj, true); err != nil {
		return err
	}
	fill(obj, cluster)
	return nil
}

// Delete implements contract.Actuator.
func (a Actuator[T]) Delete(_ context.Context, _ *contract.Cluster, obj T) error {
	return a.Provider.call("Delete", obj, false)
}

// ForceDelete implements contract.Actuator.
func (a Actuator[T]) ForceDelete(_ context.Context, _ *contract.Cluster, obj T) error {
	return a.Provider.call("ForceDelete", obj, false)
}

// Migrate implements contract.Actuator.
func (a Actuator[T]) Migrate(_ context.Context, _ *contract.Cluster, obj T) error {
	return a.Provider.call("Migrate", obj, true)
}
