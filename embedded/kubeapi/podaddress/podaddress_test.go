package podaddress

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // declarative validation needs the types
	"k8s.io/kubernetes/pkg/apis/discovery"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	endpointsregistry "k8s.io/kubernetes/pkg/registry/core/endpoint"
	sliceregistry "k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
)

// memory is a storage of one object.
type memory struct {
	storage.Interface
	object runtime.Object
}

func (m *memory) Create(_ context.Context, _ string, object, _ runtime.Object, _ uint64) error {
	m.object = object
	return nil
}

func (m *memory) GuaranteedUpdate(_ context.Context, _ string, _ runtime.Object, _ bool, _ *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	object, _, err := update(m.object.DeepCopyObject(), storage.ResponseMeta{})
	if err == nil {
		m.object = object
	}
	return err
}

// getter gives all resources one storage.
type getter struct{ memory *memory }

func (g getter) GetRESTOptions(schema.GroupResource, runtime.Object) (generic.RESTOptions, error) {
	return generic.RESTOptions{Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		return g.memory, func() {}, nil
	}}, nil
}

// hook is a plugin that notes the addresses it sees.
type hook struct{ seen []string }

func (*hook) Handles(admission.Operation) bool { return true }
func (h *hook) see(a admission.Attributes) error {
	each(a.GetObject(), func(address *string) { h.seen = append(h.seen, *address) })
	return nil
}
func (h *hook) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	return h.see(a)
}
func (h *hook) Validate(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	return h.see(a)
}

// server handles requests for one resource as the API server does.
type server struct {
	hook    *hook
	chain   admission.Interface
	memory  *memory
	storage storage.Interface
	rules   rest.RESTCreateUpdateStrategy
}

func newServer(t *testing.T, resource schema.GroupResource, rules rest.RESTCreateUpdateStrategy) *server {
	s := &server{hook: &hook{}, memory: &memory{}, rules: rules}
	s.chain = Admission(s.hook)
	options, err := Storage(getter{s.memory}).GetRESTOptions(resource, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.storage, _, err = options.Decorator(nil, "", nil, nil, nil, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) admit(ctx context.Context, object, old runtime.Object, operation admission.Operation) admission.Attributes {
	a := admission.NewAttributesRecord(object, old, schema.GroupVersionKind{}, "default", "web", schema.GroupVersionResource{}, "", operation, nil, false, nil)
	_ = s.chain.(admission.MutationInterface).Admit(ctx, a, nil)
	return a
}

func (s *server) validate(ctx context.Context, object, old runtime.Object, operation admission.Operation) {
	a := admission.NewAttributesRecord(object.DeepCopyObject(), old, schema.GroupVersionKind{}, "default", "web", schema.GroupVersionResource{}, "", operation, nil, false, nil)
	_ = s.chain.(admission.ValidationInterface).Validate(ctx, a, nil)
}

func (s *server) create(ctx context.Context, object runtime.Object) error {
	rest.FillObjectMetaSystemFields(object.(metav1.Object))
	s.admit(ctx, object, nil, admission.Create)
	if err := rest.BeforeCreate(s.rules, ctx, object); err != nil {
		return err
	}
	s.validate(ctx, object, nil, admission.Create)
	return s.storage.Create(ctx, "key", object, nil, 0)
}

func (s *server) update(ctx context.Context, change func(runtime.Object)) error {
	return s.storage.GuaranteedUpdate(ctx, "key", nil, false, nil, func(found runtime.Object, _ storage.ResponseMeta) (runtime.Object, *uint64, error) {
		object := found.DeepCopyObject()
		change(object)
		s.admit(ctx, object, found, admission.Update)
		if err := rest.BeforeUpdate(s.rules, ctx, object, found); err != nil {
			return nil, nil, err
		}
		s.validate(ctx, object, found, admission.Update)
		return object, nil, nil
	}, nil)
}

func addresses(object runtime.Object) (all []string) {
	each(object, func(address *string) { all = append(all, *address) })
	return all
}

func slice(addresses ...string) *discovery.EndpointSlice {
	s := &discovery.EndpointSlice{AddressType: discovery.AddressTypeIPv4}
	s.Name, s.Namespace, s.ResourceVersion = "web", "default", ""
	for _, address := range addresses {
		s.Endpoints = append(s.Endpoints, discovery.Endpoint{Addresses: []string{address}})
	}
	return s
}

func endpoints(ready, other string) *core.Endpoints {
	e := &core.Endpoints{Subsets: []core.EndpointSubset{{Addresses: []core.EndpointAddress{{IP: ready}}, NotReadyAddresses: []core.EndpointAddress{{IP: other}}}}}
	e.Name, e.Namespace = "web", "default"
	return e
}

func inDiscovery(t *testing.T) context.Context {
	return genericapirequest.WithRequestInfo(genericapirequest.WithNamespace(t.Context(), "default"), &genericapirequest.RequestInfo{APIGroup: "discovery.k8s.io", APIVersion: "v1"})
}

func TestEndpointSlices(t *testing.T) {
	s := newServer(t, discovery.Resource("endpointslices"), sliceregistry.Strategy)
	ctx := inDiscovery(t)
	if err := s.create(ctx, slice("127.128.3.4", "10.0.0.9")); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-13 the address of a pod is stored, and plugins see it", func(t *testing.T) {
		want := []string{"127.128.3.4", "10.0.0.9"}
		if diff := cmp.Diff(want, addresses(s.memory.object)); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(append(want, want...), s.hook.seen); diff != "" {
			t.Errorf("seen by plugins (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-13 the addresses can change, also from one pod to another", func(t *testing.T) {
		s.memory.object.(*discovery.EndpointSlice).ResourceVersion = "1"
		err := s.update(ctx, func(o runtime.Object) { o.(*discovery.EndpointSlice).Endpoints[0].Addresses[0] = "127.64.0.7" })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"127.64.0.7", "10.0.0.9"}, addresses(s.memory.object)); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	})
	t.Run("a change without one of the addresses keeps the generation", func(t *testing.T) {
		before := s.memory.object.(*discovery.EndpointSlice).Generation
		if err := s.update(ctx, func(o runtime.Object) { o.(*discovery.EndpointSlice).Annotations = map[string]string{"a": "b"} }); err != nil {
			t.Fatal(err)
		}
		if now := s.memory.object.(*discovery.EndpointSlice).Generation; now != before {
			t.Errorf("generation %d, was %d", now, before)
		}
	})
	for name, address := range map[string]string{"a server of the machine": "127.0.0.1", "another one": "127.0.9.1", "metadata of a cloud": "169.254.169.254", "no address": "0.0.0.0"} {
		t.Run("APP-14 the API still refuses "+name, func(t *testing.T) {
			if err := s.create(ctx, slice(address)); err == nil || !strings.Contains(err.Error(), address) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestEndpoints(t *testing.T) {
	s := newServer(t, core.Resource("endpoints"), endpointsregistry.Strategy)
	ctx := genericapirequest.WithNamespace(t.Context(), "default")
	t.Run("APP-13 the addresses of pods are stored, ready or not", func(t *testing.T) {
		if err := s.create(ctx, endpoints("127.128.3.4", "127.255.0.1")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"127.128.3.4", "127.255.0.1"}, addresses(s.memory.object)); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-14 the API still refuses a server of the machine", func(t *testing.T) {
		if err := s.create(ctx, endpoints("127.128.3.4", "127.0.0.1")); err == nil {
			t.Error("no error")
		}
	})
}

func TestOthers(t *testing.T) {
	t.Run("storage of other resources stays as it is", func(t *testing.T) {
		own := &memory{}
		found, err := Storage(getter{own}).GetRESTOptions(core.Resource("services"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if s, _, _ := found.Decorator(nil, "", nil, nil, nil, nil, nil, nil); s != storage.Interface(own) {
			t.Errorf("storage is %T", s)
		}
	})
	t.Run("a refusal of another plugin is one of the chain", func(t *testing.T) {
		refused := errors.New("refused")
		a := admission.NewAttributesRecord(slice(), nil, schema.GroupVersionKind{}, "", "", schema.GroupVersionResource{}, "", admission.Create, nil, false, nil)
		if err := Admission(refusing{refused}).(admission.MutationInterface).Admit(t.Context(), a, nil); !errors.Is(err, refused) {
			t.Errorf("error is %v", err)
		}
	})
}

type refusing struct{ err error }

func (refusing) Handles(admission.Operation) bool { return true }
func (r refusing) Admit(context.Context, admission.Attributes, admission.ObjectInterfaces) error {
	return r.err
}
