// Package drift quickly reports when another writer changes or deletes objects that a resource manager applied to its
// target.
//
// It watches only metadata and stores no objects. For each object it remembers the UID, the version and the
// ManagedResource it belongs to. It makes no decisions: the receiver of a report has to look at the object.
package drift

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// settle is how long an event is held back, so that the response to our own request that caused it can arrive first.
const settle = 250 * time.Millisecond

// Watcher watches the given kinds. It is safe for concurrent use.
type Watcher struct {
	client   metadata.Interface
	selector string

	mu      sync.Mutex
	ctx     context.Context // set by Run
	changed func(types.NamespacedName)
	kinds   map[schema.GroupVersionResource]bool
	known   map[types.UID]entry
	pending map[types.UID]entry // presumed changes by other writers, until they have settled
	timer   *time.Timer
	gaps    uint64
}

// entry is a version of an object. The version of a deleted object is higher than any other.
type entry struct {
	owner   types.NamespacedName
	version uint64
}

const deleted = ^uint64(0)

// New makes a watcher of objects with the label. It does nothing before Run.
func New(config *rest.Config, httpClient *http.Client, label, value string) (*Watcher, error) {
	client, err := metadata.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("make metadata client: %w", err)
	}
	return &Watcher{
		client: client, selector: label + "=" + value, kinds: map[schema.GroupVersionResource]bool{},
		known: map[types.UID]entry{}, pending: map[types.UID]entry{},
	}, nil
}

// Run starts the watcher until ctx ends and does not block. The watcher calls changed with the owner of each object
// that another writer changed.
func (w *Watcher) Run(ctx context.Context, changed func(types.NamespacedName)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ctx, w.changed = ctx, changed
	for kind := range w.kinds {
		go w.follow(ctx, kind)
	}
}

// Watch makes sure that the kind is watched.
func (w *Watcher) Watch(kind schema.GroupVersionResource) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kinds[kind] {
		return
	}
	w.kinds[kind] = true
	if w.ctx != nil {
		go w.follow(w.ctx, kind)
	}
}

// Note records the version of an object that its owner wrote or read; events up to that version are not reported.
func (w *Watcher) Note(owner types.NamespacedName, object metav1.Object) {
	version, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	if err != nil || object.GetUID() == "" {
		return // then every event is reported
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[object.GetUID()] = entry{owner, version}
}

// Gaps counts how often events may have been missed. If the count has changed, what was known about objects before is
// no longer certain.
func (w *Watcher) Gaps() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gaps
}

// observe handles an event. Objects that were never noted are not ours.
func (w *Watcher) observe(uid types.UID, version uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known, found := w.known[uid]
	if found && version <= known.version {
		return
	}
	w.pending[uid] = entry{known.owner, max(version, w.pending[uid].version)}
	if w.timer == nil {
		w.timer = time.AfterFunc(settle, w.flush)
	}
}

// flush reports the pending changes that are still news.
func (w *Watcher) flush() {
	w.mu.Lock()
	w.timer = nil
	owners := map[types.NamespacedName]bool{}
	for uid, change := range w.pending {
		if known, found := w.known[uid]; found && change.version > known.version {
			owners[known.owner] = true
		}
		if change.version == deleted {
			delete(w.known, uid)
		}
	}
	clear(w.pending)
	changed := w.changed
	w.mu.Unlock()
	for owner := range owners {
		changed(owner)
	}
}

// Forget removes everything that is remembered of the objects of an owner.
func (w *Watcher) Forget(owner types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.known, func(_ types.UID, e entry) bool { return e.owner == owner })
}
