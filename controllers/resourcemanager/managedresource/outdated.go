package managedresource

import (
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// cacheDelay is the pause before checking again whether the cache has our last write.
const cacheDelay = 50 * time.Millisecond

// cacheLimit is how long to wait for our last write. An API server that was restored from a backup no longer has it.
const cacheLimit = 5 * time.Second

type write struct {
	version uint64
	at      time.Time
}

// noteWritten remembers the version that this process wrote last.
func (r *Reconciler) noteWritten(resource *resourcesv1alpha1.ManagedResource) {
	if version, err := strconv.ParseUint(resource.ResourceVersion, 10, 64); err == nil {
		r.written.Store(client.ObjectKeyFromObject(resource), write{version, r.Clock.Now()})
	}
}

// outdated reports whether the cache has an older version than this process wrote. With an older version, a pass would
// not know what the previous pass has applied, and would apply everything again.
func (r *Reconciler) outdated(resource *resourcesv1alpha1.ManagedResource) bool {
	last, found := r.written.Load(client.ObjectKeyFromObject(resource))
	if !found || r.Clock.Since(last.(write).at) > cacheLimit {
		return false
	}
	version, err := strconv.ParseUint(resource.ResourceVersion, 10, 64)
	return err == nil && version < last.(write).version
}
