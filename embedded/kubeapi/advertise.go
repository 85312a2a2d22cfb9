package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/discovery"
)

// publishTimeout limits one round; rounds are ten seconds apart.
const publishTimeout = 5 * time.Second

// publisher writes the advertised address of the API server of an embedded cluster to Endpoints and the EndpointSlice
// of the Service kubernetes. It is a reconcilers.EndpointReconciler that writes to the storage, since the API refuses
// loopback addresses. Embedded clusters advertise only loopback addresses, which do lead to the API server. The API
// validates addresses only when they change, so all other fields of these objects can be changed as usual.
//
// There is one address, that of a Service in front of all replicas. It stays when one of them ends.
type publisher struct {
	endpoints, slices stored
	stopped           atomic.Bool
}

// stored is one object in the storage.
type stored struct {
	key     string
	storage storage.Interface
	destroy func()
}

// newPublisher uses the storage settings of the API server in getter: its prefix and its encryption.
func newPublisher(getter generic.RESTOptionsGetter) (*publisher, error) {
	endpoints, err := open(getter, core.Resource("endpoints"), &core.Endpoints{}, &core.EndpointsList{})
	if err != nil {
		return nil, err
	}
	slices, err := open(getter, discovery.Resource("endpointslices"), &discovery.EndpointSlice{}, &discovery.EndpointSliceList{})
	if err != nil {
		endpoints.destroy()
		return nil, err
	}
	return &publisher{endpoints: endpoints, slices: slices}, nil
}

// open returns access to the object of the Service kubernetes in the storage of a resource.
func open(getter generic.RESTOptionsGetter, resource schema.GroupResource, object, list runtime.Object) (stored, error) {
	options, err := getter.GetRESTOptions(resource, object)
	if err != nil {
		return stored{}, fmt.Errorf("find storage of %s: %w", resource, err)
	}
	prefix := "/" + strings.TrimPrefix(options.ResourcePrefix, "/")
	s, destroy, err := generic.NewRawStorage(options.StorageConfig, object.DeepCopyObject, list.DeepCopyObject, prefix)
	if err != nil {
		return stored{}, fmt.Errorf("open storage of %s: %w", resource, err)
	}
	return stored{key: prefix + "/" + metav1.NamespaceDefault + "/" + kubernetesService, storage: s, destroy: destroy}, nil
}

// kubernetesService is the name of the Service, its Endpoints and its EndpointSlice.
const kubernetesService = "kubernetes"

// ReconcileEndpoints makes both objects contain only ip and ports.
func (p *publisher) ReconcileEndpoints(_ string, ip net.IP, ports []corev1.EndpointPort, _ bool) error {
	if p.stopped.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	return errors.Join(
		write(ctx, p.endpoints, &core.Endpoints{}, func(e *core.Endpoints) { publishEndpoints(e, ip, ports) }),
		write(ctx, p.slices, &discovery.EndpointSlice{}, func(s *discovery.EndpointSlice) { publishSlice(s, ip, ports) }),
	)
}

// write updates or creates the object. The storage skips updates without changes.
func write[T interface {
	runtime.Object
	metav1.Object
}](ctx context.Context, s stored, empty T, change func(T)) error {
	err := s.storage.GuaranteedUpdate(ctx, s.key, empty, true, nil, storage.SimpleUpdate(func(found runtime.Object) (runtime.Object, error) {
		object, ok := found.(T)
		if !ok {
			return nil, fmt.Errorf("found a %T", found)
		}
		if object.GetUID() == "" {
			object.SetNamespace(metav1.NamespaceDefault)
			object.SetName(kubernetesService)
			rest.FillObjectMetaSystemFields(object)
		}
		change(object)
		return object, nil
	}), nil)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.key, err)
	}
	return nil
}

func publishEndpoints(e *core.Endpoints, ip net.IP, ports []corev1.EndpointPort) {
	label(e, discoveryv1.LabelSkipMirror, "true")
	subset := core.EndpointSubset{Addresses: []core.EndpointAddress{{IP: ip.String()}}}
	for _, port := range ports {
		subset.Ports = append(subset.Ports, core.EndpointPort{Name: port.Name, Port: port.Port, Protocol: core.Protocol(port.Protocol)})
	}
	e.Subsets = []core.EndpointSubset{subset}
}

func publishSlice(s *discovery.EndpointSlice, ip net.IP, ports []corev1.EndpointPort) {
	label(s, discoveryv1.LabelServiceName, kubernetesService)
	s.AddressType = discovery.AddressTypeIPv4
	if ip.To4() == nil {
		s.AddressType = discovery.AddressTypeIPv6
	}
	ready := true
	s.Endpoints = []discovery.Endpoint{{Addresses: []string{ip.String()}, Conditions: discovery.EndpointConditions{Ready: &ready}}}
	s.Ports = nil
	for _, port := range ports {
		protocol := core.Protocol(port.Protocol)
		s.Ports = append(s.Ports, discovery.EndpointPort{Name: &port.Name, Port: &port.Port, Protocol: &protocol})
	}
}

func label(object metav1.Object, key, value string) {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	object.SetLabels(labels)
}

// RemoveEndpoints removes nothing, since the address does not belong to a single process. At the start of a server it
// returns the error that means that there is nothing to remove.
func (p *publisher) RemoveEndpoints(string, net.IP, []corev1.EndpointPort) error {
	if p.stopped.Load() {
		return nil
	}
	return storage.NewKeyNotFoundError(p.endpoints.key, 0)
}

// StopReconciling turns later rounds into no-ops.
func (p *publisher) StopReconciling() { p.stopped.Store(true) }

// Destroy closes the connections to the storage; calling it again does nothing.
func (p *publisher) Destroy() {
	p.stopped.Store(true)
	p.endpoints.destroy()
	p.slices.destroy()
}
