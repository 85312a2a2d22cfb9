package networkpolicy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// operatedPeriod is how long the answer about the operator is cached.
const operatedPeriod = time.Minute

// OperatedBy reports whether the cluster contains a Garden. Its operator then writes the same policies, and two writers
// would overwrite each other. reader must not be cached, since the kind may be unknown to the cluster.
func OperatedBy(reader client.Reader, clock clock.PassiveClock) func(context.Context) (bool, error) {
	var (
		mu    sync.Mutex
		known time.Time
		last  bool
	)
	return func(ctx context.Context) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		if !known.IsZero() && clock.Since(known) < operatedPeriod {
			return last, nil
		}
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: "operator.gardener.cloud", Version: "v1alpha1", Kind: "GardenList"})
		if err := reader.List(ctx, list, client.Limit(1)); err != nil && !meta.IsNoMatchError(err) {
			return false, fmt.Errorf("look for a Garden in the seed: %w", err)
		}
		known, last = clock.Now(), len(list.Items) > 0
		return last, nil
	}
}
