package managers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
)

var errNoCaches = errors.New("the caches do not run")

// Limits of the controllers' clients; the API servers are in the same process.
const managerQPS, managerBurst = 200, 400

// clusters are the clusters that controllers act on.
type clusters struct {
	garden, seed cluster.Cluster
	life         context.Context // of the caches; nobody reads an old state after its end
}

// bound returns a context that ends with the caches, with errNoCaches as the cause.
func (c clusters) bound(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(errNoCaches) })
	return ctx, func() { stop(); cancel(nil) }
}

// newCluster makes the clients of a cluster and the cache that all managers of it share.
func newCluster(log logr.Logger, name string, config *rest.Config, kinds func(*runtime.Scheme) error) (cluster.Cluster, error) {
	scheme, err := schemeOf(kinds)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst, config.UserAgent = managerQPS, managerBurst, name
	made, err := cluster.New(config, func(opts *cluster.Options) {
		opts.Scheme, opts.Logger = scheme, log.WithName(name)
		opts.Cache = cache.Options{DefaultTransform: cache.TransformStripManagedFields()}
	})
	if err != nil {
		return nil, fmt.Errorf("make clients of the %s: %w", name, err)
	}
	return made, nil
}

// Client makes a client without a cache, for steps before the managers run.
func Client(config *rest.Config, add func(*runtime.Scheme) error) (client.Client, error) {
	scheme, err := schemeOf(add)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = managerQPS, managerBurst
	return client.New(config, client.Options{Scheme: scheme})
}

// schemeOf makes a scheme for clients.
func schemeOf(add func(*runtime.Scheme) error) (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := add(scheme); err != nil {
		return nil, fmt.Errorf("make scheme: %w", err)
	}
	return scheme, nil
}

// runAll runs managers or clusters until ctx ends or one of them ends.
func runAll[R interface{ Start(context.Context) error }](ctx context.Context, all ...R) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(all))
	for _, one := range all {
		go func() { ended <- one.Start(ctx) }()
	}
	first := <-ended
	cancel()
	for range len(all) - 1 {
		if err := <-ended; first == nil {
			first = err
		}
	}
	return first
}

// synced reports as an error that caches are not filled. It waits for them only a moment.
func synced[C cluster.Cluster](ctx context.Context, all ...C) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, one := range all {
		if !one.GetCache().WaitForCacheSync(ctx) {
			return errors.New("caches are not filled yet")
		}
	}
	return nil
}
