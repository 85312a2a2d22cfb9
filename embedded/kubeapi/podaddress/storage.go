package podaddress

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/discovery"
)

// Storage makes a getter of storage that stores the addresses which Admission has hidden, and that shows stand-ins to the subresource proxy.
func Storage(getter generic.RESTOptionsGetter) generic.RESTOptionsGetter { return options{getter} }

type options struct{ generic.RESTOptionsGetter }

// GetRESTOptions returns the options of a resource.
func (o options) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	found, err := o.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return found, err
	}
	switch resource {
	case core.Resource("pods"):
		found.Decorator = decorate(found.Decorator, func(s storage.Interface) storage.Interface { return proxying{s} })
	case core.Resource("endpoints"):
		found.Decorator = decorate(found.Decorator, func(s storage.Interface) storage.Interface { return proxying{restoring{s}} })
	case discovery.Resource("endpointslices"):
		found.Decorator = decorate(found.Decorator, func(s storage.Interface) storage.Interface { return restoring{s} })
	}
	return found, nil
}

func decorate(former generic.StorageDecorator, wrap func(storage.Interface) storage.Interface) generic.StorageDecorator {
	return func(
		config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error), newObject, newList func() runtime.Object,
		attributes storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		s, destroy, err := former(config, prefix, key, newObject, newList, attributes, trigger, indexers)
		if err != nil {
			return nil, nil, err
		}
		return wrap(s), destroy, nil
	}
}

// restoring writes addresses instead of their stand-ins.
type restoring struct{ storage.Interface }

// Create stores a new object.
func (r restoring) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	object = object.DeepCopyObject()
	restore(object)
	return r.Interface.Create(ctx, key, object, out, ttl)
}

// GuaranteedUpdate stores what update makes of the object.
func (r restoring) GuaranteedUpdate(
	ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, preconditions *storage.Preconditions,
	update storage.UpdateFunc, cached runtime.Object,
) error {
	return r.Interface.GuaranteedUpdate(ctx, key, out, ignoreNotFound, preconditions, func(found runtime.Object, meta storage.ResponseMeta) (runtime.Object, *uint64, error) {
		object, ttl, err := update(found, meta)
		if err == nil && object != nil {
			object = object.DeepCopyObject()
			restore(object)
		}
		return object, ttl, err
	}, cached)
}
