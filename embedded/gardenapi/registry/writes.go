package registry

import (
	"context"
	"strconv"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// writes remembers the last resource version of a kind that this server has written. A read from the watch cache at this
// version sees all writes that this server has answered, without a request to etcd.
type writes struct{ last atomic.Uint64 }

// version returns the resource version to request from the watch cache.
func (w *writes) version() string { return strconv.FormatUint(w.last.Load(), 10) }

func (w *writes) note(versioner storage.Versioner, obj runtime.Object) {
	if obj == nil {
		return
	}
	version, err := versioner.ObjectResourceVersion(obj)
	if err != nil {
		return // a type without versions
	}
	for {
		last := w.last.Load()
		if version <= last || w.last.CompareAndSwap(last, version) {
			return
		}
	}
}

// noting reports the writes of all storages that are made with these options to objects.
type noting struct {
	generic.RESTOptionsGetter
	objects *Objects
}

func (n noting) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := n.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	decorate, w := options.Decorator, &writes{}
	n.objects.writes[resource] = w
	options.Decorator = func(config *storagebackend.ConfigForResource, prefix string, keyOf func(runtime.Object) (string, error), newObject, newList func() runtime.Object,
		attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		store, destroy, err := decorate(config, prefix, keyOf, newObject, newList, attributes, trigger, indexers)
		if err != nil {
			return store, destroy, err
		}
		return &noted{store, w}, destroy, nil
	}
	return options, nil
}

// noted is a storage that reports its successful writes.
type noted struct {
	storage.Interface
	writes *writes
}

func (s *noted) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	err := s.Interface.Create(ctx, key, obj, out, ttl)
	if err == nil {
		s.writes.note(s.Versioner(), out)
	}
	return err
}

func (s *noted) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, existing runtime.Object, opts storage.DeleteOptions) error {
	err := s.Interface.Delete(ctx, key, out, preconditions, validate, existing, opts)
	if err == nil {
		s.writes.note(s.Versioner(), out)
	}
	return err
}

func (s *noted) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, existing runtime.Object) error {
	err := s.Interface.GuaranteedUpdate(ctx, key, out, ignoreNotFound, preconditions, update, existing)
	if err == nil {
		s.writes.note(s.Versioner(), out)
	}
	return err
}
