// Package feed keeps a graph up to date with the objects of the garden, as a cache sees them.
package feed

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

// Feed is a runnable for a manager. It acts in each replica.
type Feed struct {
	Cache cache.Cache
	Graph *graph.Graph
	// Observe is told how long a change of the graph took; may be nil.
	Observe func(kind graph.Kind, operation string, took time.Duration)

	synced atomic.Bool
}

// NeedLeaderElection is false: each replica answers requests.
func (f *Feed) NeedLeaderElection() bool { return false }

// Ready returns nil if the graph contains all objects.
func (f *Feed) Ready() error {
	if !f.synced.Load() {
		return errors.New("the garden's objects have not been read yet")
	}
	return nil
}

// Start feeds the graph until ctx ends.
func (f *Feed) Start(ctx context.Context) error {
	var fed []toolscache.InformerSynced
	for _, object := range dependency.Kinds() {
		informer, err := f.Cache.GetInformer(ctx, object)
		if err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
		registration, err := informer.AddEventHandlerWithOptions(f.handler(), toolscache.HandlerOptions{})
		if err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
		defer func() { _ = informer.RemoveEventHandler(registration) }()
		fed = append(fed, registration.HasSynced)
	}
	if toolscache.WaitForCacheSync(ctx.Done(), fed...) {
		f.synced.Store(true)
		defer f.synced.Store(false)
	}
	<-ctx.Done()
	return nil
}

func (f *Feed) handler() toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { f.set("add", object) },
		UpdateFunc: func(_, object any) { f.set("update", object) },
		DeleteFunc: func(object any) {
			if tombstone, lost := object.(toolscache.DeletedFinalStateUnknown); lost {
				object = tombstone.Obj
			}
			f.forget(object)
		},
	}
}

func (f *Feed) set(operation string, object any) {
	known, ok := object.(client.Object)
	if !ok {
		return
	}
	begin := time.Now()
	v, edges := dependency.Of(known)
	f.Graph.Set(v, edges)
	f.observe(v.Kind, operation, begin)
}

func (f *Feed) forget(object any) {
	known, ok := object.(client.Object)
	if !ok {
		return
	}
	begin := time.Now()
	v, _ := dependency.Of(known)
	f.Graph.Forget(v)
	f.observe(v.Kind, "delete", begin)
}

func (f *Feed) observe(kind graph.Kind, operation string, begin time.Time) {
	if f.Observe != nil {
		f.Observe(kind, operation, time.Since(begin))
	}
}
