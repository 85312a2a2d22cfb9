package appliance

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
)

// newCluster makes the clients of a cluster and the cache that all managers of it share.
func (a *appliance) newCluster(name string, config *rest.Config, kinds func(*runtime.Scheme) error) (cluster.Cluster, error) {
	scheme, err := schemeOf(kinds)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst, config.UserAgent = managerQPS, managerBurst, name
	made, err := cluster.New(config, func(options *cluster.Options) {
		options.Scheme, options.Logger = scheme, a.Log.WithName(name)
		options.Cache = cache.Options{DefaultTransform: cache.TransformStripManagedFields()}
	})
	if err != nil {
		return nil, fmt.Errorf("make clients of the %s: %w", name, err)
	}
	return made, nil
}

// view is what one manager sees of a shared cache: the manager may stop and start again without the cache, and takes its
// handlers with it.
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

// viewInformer notes the handlers that are added.
type viewInformer struct {
	cache.Informer
	view *view
}

// AddEventHandlerWithOptions implements cache.Informer; it is what controllers call.
func (i *viewInformer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	registration, err := i.Informer.AddEventHandlerWithOptions(handler, options)
	if err != nil {
		return nil, err
	}
	i.view.mu.Lock()
	defer i.view.mu.Unlock()
	i.view.undo = append(i.view.undo, func() { _ = i.RemoveEventHandler(registration) })
	return registration, nil
}
