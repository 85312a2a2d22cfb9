package registry

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/client-go/tools/cache"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/watchmap"
)

// mirrored are the kinds that admission reads several times in nearly every request. They have few objects, so a copy in
// memory makes reading cheap.
var mirrored = []schema.GroupResource{
	core.Resource("cloudprofiles"), core.Resource("controllerregistrations"), core.Resource("exposureclasses"),
	core.Resource("namespacedcloudprofiles"), core.Resource("projects"), core.Resource("quotas"), core.Resource("secretbindings"),
	core.Resource("seeds"), security.Resource("credentialsbindings"),
	settings.Resource("clusteropenidconnectpresets"), settings.Resource("openidconnectpresets"),
}

// mirror is a copy of the watch cache of one kind. It starts with the first read.
type mirror struct {
	store *registry.Store
	// ctx ends the mirror.
	ctx     context.Context
	once    sync.Once
	follows *cache.Reflector
	kept    cache.Store
	// changes counts the changes of kept. It shows whether a list of its objects is up to date.
	changes atomic.Uint64
	list    atomic.Pointer[mirrorList]
}

// mirrorList is a list of the objects after a number of changes, sorted by namespace and name.
type mirrorList struct {
	changes uint64
	objects []runtime.Object
}

func newMirror(ctx context.Context, store *registry.Store) *mirror {
	return &mirror{store: store, ctx: ctx, kept: cache.NewStore(cache.MetaNamespaceKeyFunc)}
}

// version returns the resource version that the mirror has seen, or 0 before it is complete.
func (m *mirror) version() uint64 {
	m.once.Do(m.start)
	version, err := strconv.ParseUint(m.follows.LastSyncResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return version
}

func (m *mirror) start() {
	name := "mirror of " + m.store.DefaultQualifiedResource.String()
	detector := cache.NewCacheMutationDetector(name) // does nothing but in tests that set KUBE_CACHE_MUTATION_DETECTOR
	m.follows = cache.NewReflectorWithOptions(mirrorSource{m.store}, m.store.New(), countedStore{m.kept, &m.changes, detector}, cache.ReflectorOptions{Name: name})
	go detector.Run(m.ctx.Done())
	go m.follows.RunWithContext(m.ctx)
}

// get returns an object. The caller must not change it.
func (m *mirror) get(namespace, name string) (runtime.Object, bool) {
	key := name
	if namespace != "" {
		key = namespace + "/" + name
	}
	obj, found, err := m.kept.GetByKey(key)
	if err != nil || !found {
		return nil, false
	}
	return obj.(runtime.Object), true
}

// each visits objects. visit must not change them.
func (m *mirror) each(namespace string, visit func(runtime.Object) bool) {
	for _, obj := range m.sorted() {
		if namespace != "" && obj.(metav1.Object).GetNamespace() != namespace {
			continue
		}
		if !visit(obj) {
			return
		}
	}
}

func (m *mirror) sorted() []runtime.Object {
	changes := m.changes.Load() // before the list is made: it may be newer than that, never older
	if list := m.list.Load(); list != nil && list.changes == changes {
		return list.objects
	}
	all := m.kept.List()
	list := &mirrorList{changes: changes, objects: make([]runtime.Object, 0, len(all))}
	for _, obj := range all {
		list.objects = append(list.objects, obj.(runtime.Object))
	}
	slices.SortFunc(list.objects, func(a, b runtime.Object) int {
		one, other := a.(metav1.Object), b.(metav1.Object)
		if order := strings.Compare(one.GetNamespace(), other.GetNamespace()); order != 0 {
			return order
		}
		return strings.Compare(one.GetName(), other.GetName())
	})
	m.list.Store(list)
	return list.objects
}

// countedStore counts changes after it has made them, and adds its objects to the cache mutation detector.
type countedStore struct {
	cache.Store
	changes  *atomic.Uint64
	detector cache.MutationDetector
}

func (s countedStore) Add(obj any) error {
	s.detector.AddObject(obj)
	defer s.changes.Add(1)
	return s.Store.Add(obj)
}

func (s countedStore) Update(obj any) error {
	s.detector.AddObject(obj)
	defer s.changes.Add(1)
	return s.Store.Update(obj)
}

func (s countedStore) Delete(obj any) error {
	defer s.changes.Add(1)
	return s.Store.Delete(obj)
}

func (s countedStore) Replace(list []any, version string) error {
	for _, obj := range list {
		s.detector.AddObject(obj)
	}
	defer s.changes.Add(1)
	return s.Store.Replace(list, version)
}

// mirrorSource lists and watches a storage in this process, in all namespaces.
type mirrorSource struct{ store *registry.Store }

// IsWatchListSemanticsUnSupported makes the reflector list first. A list is cheap: it copies the pointers of the watch cache.
func (mirrorSource) IsWatchListSemanticsUnSupported() bool { return true }

// List implements cache.ListerWatcher, as Watch does.
func (s mirrorSource) List(options metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), options)
}

func (s mirrorSource) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), options)
}

func (s mirrorSource) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return s.store.List(everywhere(ctx), &metainternalversion.ListOptions{
		ResourceVersion: options.ResourceVersion, ResourceVersionMatch: options.ResourceVersionMatch,
		Limit: options.Limit, Continue: options.Continue,
	})
}

func (s mirrorSource) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	events, err := s.store.Watch(everywhere(ctx), &metainternalversion.ListOptions{
		Watch: true, ResourceVersion: options.ResourceVersion, AllowWatchBookmarks: options.AllowWatchBookmarks,
	})
	if err != nil {
		return nil, err
	}
	return watchmap.New(events, func(event watch.Event) watch.Event {
		if shared, ok := event.Object.(runtime.CacheableObject); ok { // several watchers get the same event
			event.Object = shared.GetObject()
		}
		return event
	}), nil
}

func everywhere(ctx context.Context) context.Context {
	return genericapirequest.WithNamespace(ctx, metav1.NamespaceAll)
}
