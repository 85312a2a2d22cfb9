// Package initializer injects dependencies of the Gardener API server into admission plugins. The client and the informers
// of the garden are injected by k8s.io/apiserver/pkg/admission/initializer.
package initializer

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	generic "k8s.io/apiserver/pkg/admission/initializer"
	quota "k8s.io/apiserver/pkg/quota/v1"
	genericquota "k8s.io/apiserver/pkg/quota/v1/generic"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
)

// Objects reads Gardener objects.
type Objects interface {
	// Get reads the current state of one object, which must not be changed. namespace is empty for cluster-scoped kinds.
	Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error)
	// Each visits the objects of a namespace, or of all namespaces if it is empty, until visit returns false. They must not be
	// changed. Each returns the current state of the objects. It may have to wait up to 100 ms for the watch cache, so use it for
	// rare requests only.
	Each(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error
	// EachCached is Each without waiting; the writes of the last milliseconds may be missing. A plugin that would refuse a request
	// because it does not find an object must look again with Each, as Find does.
	EachCached(ctx context.Context, resource schema.GroupResource, namespace string, visit func(runtime.Object) bool) error
}

// WantsObjects is implemented by plugins that read other Gardener objects.
type WantsObjects interface {
	SetObjects(Objects)
}

// WantsDomains is implemented by plugins that need the default domains of the garden.
type WantsDomains interface {
	SetDomains(gardendomains.Source)
}

// WantsReservedDomains is implemented by plugins that need the domains that no shoot may use.
type WantsReservedDomains interface {
	SetReservedDomains(gardendomains.Source)
}

// Initializer is a plugin initializer.
type Initializer struct {
	Objects Objects
	Domains gardendomains.Source
	// Reserved are the domains of the garden itself and for internal names.
	Reserved gardendomains.Source
}

// Initialize injects the dependencies for which plugin has a method.
func (i Initializer) Initialize(plugin admission.Interface) {
	if wants, ok := plugin.(WantsObjects); ok {
		wants.SetObjects(i.Objects)
	}
	if wants, ok := plugin.(WantsDomains); ok {
		wants.SetDomains(i.Domains)
	}
	if wants, ok := plugin.(WantsReservedDomains); ok {
		wants.SetReservedDomains(i.Reserved)
	}
	if wants, ok := plugin.(generic.WantsQuotaConfiguration); ok {
		wants.SetQuotaConfiguration(objectCounts())
	}
}

// objectCounts is a quota configuration that limits only the number of objects of a kind, as
// count/shoots.core.gardener.cloud.
func objectCounts() quota.Configuration {
	return genericquota.NewConfiguration(nil, map[schema.GroupResource]struct{}{})
}

// Get reads an object of type T. The caller must not change it.
func Get[T any](ctx context.Context, objects Objects, resource schema.GroupResource, namespace, name string) (*T, error) {
	obj, err := objects.Get(ctx, resource, namespace, name)
	if err != nil {
		return nil, err
	}
	return any(obj).(*T), nil
}

// Find returns an object that matches, or nil if there is none. If the cache has no such object, Find looks again without
// the cache. The caller must not change the object.
func Find[T any](ctx context.Context, objects Objects, resource schema.GroupResource, namespace string, match func(*T) bool) (*T, error) {
	var found *T
	visit := func(obj runtime.Object) bool {
		if one := any(obj).(*T); match(one) {
			found = one
		}
		return found == nil
	}
	if err := objects.EachCached(ctx, resource, namespace, visit); err != nil || found != nil {
		return found, err
	}
	return found, objects.Each(ctx, resource, namespace, visit)
}

// First returns an object that matches, or nil if there is none. It does not rely on the cache, so it is for requests that
// an existing object forbids. The caller must not change the object.
func First[T any](ctx context.Context, objects Objects, resource schema.GroupResource, namespace string, match func(*T) bool) (*T, error) {
	var found *T
	err := objects.Each(ctx, resource, namespace, func(obj runtime.Object) bool {
		if one := any(obj).(*T); match(one) {
			found = one
		}
		return found == nil
	})
	return found, err
}
