package gardendomains

import (
	"context"
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

// Watch returns a source that watches the few Secrets with domains until stop is closed, and asks for them as long as it
// knows none. It does not block.
func Watch(garden kubernetes.Interface, stop <-chan struct{}) Source {
	factory := informers.NewSharedInformerFactoryWithOptions(garden, resync, informers.WithNamespace(constants.GardenNamespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = Selector }))
	secrets := factory.Core().V1().Secrets()
	informer, lister := secrets.Informer(), secrets.Lister()
	factory.Start(stop)
	return func(ctx context.Context) ([]Domain, error) {
		if informer.HasSynced() {
			found, err := lister.List(labels.Everything())
			if domains := Of(found); err == nil && len(domains) > 0 {
				return domains, nil
			}
		}
		return Read(ctx, garden)
	}
}
