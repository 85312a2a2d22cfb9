package registry

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
)

// Objects reads Gardener objects from the storage of this server, for admission plugins that look at other objects. It
// needs neither requests nor informers, because the storage has watch caches. It can be passed on before storages exist.
type Objects struct {
	stores  map[schema.GroupResource]*registry.Store
	writes  map[schema.GroupResource]*writes // of the storages
	mirrors map[schema.GroupResource]*mirror // of those that are read often

	life context.Context // of the mirrors
	stop context.CancelFunc
}

// NewObjects makes an Objects without storages.
func NewObjects() *Objects {
	o := &Objects{
		stores: map[schema.GroupResource]*registry.Store{}, writes: map[schema.GroupResource]*writes{}, mirrors: map[schema.GroupResource]*mirror{},
	}
	o.life, o.stop = context.WithCancel(context.Background())
	return o
}

// Stop ends all goroutines. Objects can still be read.
func (o *Objects) Stop() { o.stop() }

func (o *Objects) add(store *registry.Store) {
	resource := store.DefaultQualifiedResource
	o.stores[resource] = store
	if slices.Contains(mirrored, resource) {
		o.mirrors[resource] = newMirror(o.life, store)
	}
}

// Get reads one object. The caller must not change it. namespace is empty for cluster-scoped kinds. The object comes from
// the mirror or the watch cache, with all writes of this server, or from etcd if it is missing there.
func (o *Objects) Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	store, err := o.store(resource)
	if err != nil {
		return nil, err
	}
	ctx = genericapirequest.WithNamespace(ctx, namespace)
	if writes := o.writes[resource]; writes != nil {
		if mirror := o.mirror(resource); mirror != nil {
			if obj, found := mirror.get(namespace, name); found {
				return obj, nil
			}
		}
		if obj, err := store.Get(ctx, name, &metav1.GetOptions{ResourceVersion: writes.version()}); err == nil {
			return obj, nil
		}
	}
	return store.Get(ctx, name, &metav1.GetOptions{})
}

// mirror returns the mirror of a kind if it has seen all writes of this server, which takes a moment after a write.
func (o *Objects) mirror(resource schema.GroupResource) *mirror {
	mirror, writes := o.mirrors[resource], o.writes[resource]
	if mirror == nil || writes == nil || o.life.Err() != nil {
		return nil
	}
	if version := mirror.version(); version == 0 || version < writes.last.Load() {
		return nil
	}
	return mirror
}

// Each calls visit with every object of a kind until visit returns false. An empty namespace means all namespaces. visit
// must not change the objects. The watch cache has to catch up with etcd first, which takes up to 100 ms.
func (o *Objects) Each(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	return o.each(ctx, resource, namespace, "", visit)
}

// EachCached is Each with the present content of the mirror or watch cache. It may lack recent writes.
func (o *Objects) EachCached(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error {
	if mirror := o.mirror(resource); mirror != nil {
		mirror.each(namespace, visit)
		return nil
	}
	return o.each(ctx, resource, namespace, "0", visit)
}

func (o *Objects) each(ctx context.Context, resource schema.GroupResource, namespace, version string, visit func(runtime.Object) bool) error {
	store, err := o.store(resource)
	if err != nil {
		return err
	}
	list, err := store.List(genericapirequest.WithNamespace(ctx, namespace), &metainternalversion.ListOptions{ResourceVersion: version})
	if err != nil {
		return err
	}
	more := true
	return meta.EachListItem(list, func(obj runtime.Object) error {
		more = more && visit(obj)
		return nil
	})
}

func (o *Objects) store(resource schema.GroupResource) (*registry.Store, error) {
	if store, known := o.stores[resource]; known {
		return store, nil
	}
	return nil, fmt.Errorf("no storage of %s", resource)
}
