package gardendomains

import (
	"context"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Source gives the domains, the preferred one first.
type Source func(ctx context.Context) ([]Domain, error)

// resync is far apart: nothing acts on the events.
const resync = 10 * time.Hour

// askInterval is how often a garden without default domains is asked for them, besides watching: an answer that is sure
// to be current takes kube-apiserver up to 100 ms, which every creation of a shoot would wait for.
const askInterval = time.Second

// With returns a source of these names, followed by the domains of another source.
func With(names []string, source Source) Source {
	return func(ctx context.Context) ([]Domain, error) {
		domains, err := source(ctx)
		var all []Domain
		for _, name := range names {
			all = append(all, Domain{Name: name})
		}
		return append(all, domains...), err
	}
}

// Watch returns a source that watches the few Secrets with domains of a role until stop is closed. As long as the source knows no
// domains, it also reads the Secrets from time to time. Watch does not block.
func Watch(garden kubernetes.Interface, role string, stop <-chan struct{}) Source {
	factory := informers.NewSharedInformerFactoryWithOptions(garden, resync, informers.WithNamespace(constants.GardenNamespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = selector(role) }))
	secrets := factory.Core().V1().Secrets()
	informer, lister := secrets.Informer(), secrets.Lister()
	factory.Start(stop)
	var none atomic.Pointer[time.Time] // when the garden said last that it has none
	return func(ctx context.Context) ([]Domain, error) {
		if informer.HasSynced() {
			found, err := lister.List(labels.Everything())
			if domains := Of(found); err == nil && len(domains) > 0 {
				return domains, nil
			}
			if asked := none.Load(); asked != nil && time.Since(*asked) < askInterval {
				return nil, nil
			}
		}
		now := time.Now()
		domains, err := read(ctx, garden, role)
		if err == nil && len(domains) == 0 {
			none.Store(&now)
		}
		return domains, err
	}
}
