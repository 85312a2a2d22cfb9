package managedresource

import (
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// cacheDelay is the pause before checking again whether the cache has our last write.
const cacheDelay = 50 * time.Millisecond

// cacheLimit is how long to wait for our last write. An API server that was restored from a backup no longer has it.
const cacheLimit = 5 * time.Second

// writes are the versions of ManagedResources that this process wrote last.
type writes struct {
	last sync.Map // write by types.NamespacedName
}

type write struct {
	version uint64
	at      time.Time
}

func (w *writes) forget(name types.NamespacedName) { w.last.Delete(name) }

// note remembers the version that this process wrote last.
func (w *writes) note(resource *resourcesv1alpha1.ManagedResource, now time.Time) {
	if version, err := strconv.ParseUint(resource.ResourceVersion, 10, 64); err == nil {
		w.last.Store(client.ObjectKeyFromObject(resource), write{version, now})
	}
}

// outdated reports whether the cache has an older version than this process wrote. With an older version, a pass would
// not know what the previous pass has applied, and would apply everything again.
func (w *writes) outdated(resource *resourcesv1alpha1.ManagedResource, since func(time.Time) time.Duration) bool {
	last, found := w.last.Load(client.ObjectKeyFromObject(resource))
	if !found || since(last.(write).at) > cacheLimit {
		return false
	}
	version, err := strconv.ParseUint(resource.ResourceVersion, 10, 64)
	return err == nil && version < last.(write).version
}
