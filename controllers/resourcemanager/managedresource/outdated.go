package managedresource

import (
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// cacheDelay is how soon to look again when the cache does not have our own last write yet.
const cacheDelay = 50 * time.Millisecond

// cacheLimit is for how long our own last write is expected to come. An API server that was restored from a backup does
// not have it any more.
const cacheLimit = 5 * time.Second

type write struct {
	version uint64
	at      time.Time
}

// noteWritten remembers the version this process wrote last.
func (r *Reconciler) noteWritten(resource *resourcesv1alpha1.ManagedResource) {
	if version, err := strconv.ParseUint(resource.ResourceVersion, 10, 64); err == nil {
		r.written.Store(client.ObjectKeyFromObject(resource), write{version, r.Clock.Now()})
	}
}

// outdated reports whether the cache has an older version than this process wrote. A pass over that would not know what the
// pass before has applied, and apply everything again.
func (r *Reconciler) outdated(resource *resourcesv1alpha1.ManagedResource) bool {
	last, found := r.written.Load(client.ObjectKeyFromObject(resource))
	if !found || r.Clock.Since(last.(write).at) > cacheLimit {
		return false
	}
	version, err := strconv.ParseUint(resource.ResourceVersion, 10, 64)
	return err == nil && version < last.(write).version
}
