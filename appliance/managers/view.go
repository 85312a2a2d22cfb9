package managers

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// view is the shared cache as one manager sees it. The manager may stop and start again while the cache runs. When it stops,
// its event handlers are removed from the cache.
type view struct {
	cache.Cache

	mu   sync.Mutex
	undo []func()
}

// Start implements cache.Cache; the shared cache runs already.
func (v *view) Start(ctx context.Context) error {
	<-ctx.Done()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, undo := range v.undo {
		undo()
	}
	v.undo = nil
	return nil
}

// GetInformer implements cache.Cache.
func (v *view) GetInformer(ctx context.Context, object client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	informer, err := v.Cache.GetInformer(ctx, object, opts...)
	if err != nil {
		return nil, err
	}
	return &viewInformer{Informer: informer, view: v}, nil
}

// GetInformerForKind implements cache.Cache.
func (v *view) GetInformerForKind(ctx context.Context, kind schema.GroupVersionKind, opts ...cache.InformerGetOption) (cache.Informer, error) {
	informer, err := v.Cache.GetInformerForKind(ctx, kind, opts...)
	if err != nil {
		return nil, err
	}
	return &viewInformer{Informer: informer, view: v}, nil
}

// viewInformer records the handlers that a manager adds.
type viewInformer struct {
	cache.Informer
	view *view
}

// AddEventHandlerWithOptions implements cache.Informer; it is what controllers call.
func (i *viewInformer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, opts toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	registration, err := i.Informer.AddEventHandlerWithOptions(handler, opts)
	if err != nil {
		return nil, err
	}
	i.view.mu.Lock()
	defer i.view.mu.Unlock()
	i.view.undo = append(i.view.undo, func() { _ = i.RemoveEventHandler(registration) })
	return registration, nil
}
