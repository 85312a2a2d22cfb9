// Package catalog watches the Services of a cluster and the addresses behind them, for the servers below embedded/ that
// replace kube-dns and kube-proxy. It finds the addresses of Services with a selector by selecting pods: embedded seeds have no endpoint
// controllers, because the API refuses loopback addresses in Endpoints there.
package catalog

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	bySlicedService = "service"
	byAddress       = "address"
)

// Catalog watches Services, Pods and EndpointSlices. Its methods may be called at any time. Before Synced the catalog is
// incomplete.
type Catalog struct {
	factory  informers.SharedInformerFactory
	services cache.SharedIndexInformer
	pods     cache.SharedIndexInformer
	slices   cache.SharedIndexInformer
}

// New returns a catalog that is filled by Run. onServices is called after each change of a Service. It may be nil and
// must not block. A catalog runs once.
func New(config *rest.Config, onServices func()) (*Catalog, error) {
	config = rest.CopyConfig(config)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip))
	c := &Catalog{
		factory:  factory,
		services: factory.Core().V1().Services().Informer(),
		pods:     factory.Core().V1().Pods().Informer(),
		slices:   factory.Discovery().V1().EndpointSlices().Informer(),
	}
	indexers := cache.Indexers{bySlicedService: func(obj any) ([]string, error) {
		slice, ok := obj.(*discoveryv1.EndpointSlice)
		if !ok || slice.Labels[discoveryv1.LabelServiceName] == "" {
			return nil, nil
		}
		return []string{slice.Namespace + "/" + slice.Labels[discoveryv1.LabelServiceName]}, nil
	}}
	if err := c.slices.AddIndexers(indexers); err != nil {
		return nil, fmt.Errorf("add index: %w", err)
	}
	err = c.pods.AddIndexers(cache.Indexers{byAddress: func(obj any) ([]string, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok || pod.Status.PodIP == "" {
			return nil, nil
		}
		return []string{pod.Status.PodIP}, nil
	}})
	if err != nil {
		return nil, fmt.Errorf("add index: %w", err)
	}
	if onServices != nil {
		_, err = c.services.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { onServices() },
			UpdateFunc: func(any, any) { onServices() },
			DeleteFunc: func(any) { onServices() },
		})
		if err != nil {
			return nil, fmt.Errorf("add event handler: %w", err)
		}
	}
	return c, nil
}

// Run keeps the catalog up to date until ctx ends. It returns when all its goroutines have ended.
func (c *Catalog) Run(ctx context.Context) {
	c.factory.Start(ctx.Done())
	<-ctx.Done()
	c.factory.Shutdown()
}

// Synced reports whether the catalog holds all objects that existed when Run was called.
func (c *Catalog) Synced() bool {
	return c.services.HasSynced() && c.pods.HasSynced() && c.slices.HasSynced()
}

// WaitForSync blocks until Synced or the end of ctx.
func (c *Catalog) WaitForSync(ctx context.Context) bool {
	return cache.WaitForCacheSync(ctx.Done(), c.services.HasSynced, c.pods.HasSynced, c.slices.HasSynced)
}

// Service returns a Service by name, or nil if there is none. The caller must not change it.
func (c *Catalog) Service(namespace, name string) *corev1.Service {
	obj, _, _ := c.services.GetStore().GetByKey(namespace + "/" + name)
	service, _ := obj.(*corev1.Service)
	return service
}

// Pod returns a pod by name, or nil if there is none. The caller must not change it.
func (c *Catalog) Pod(namespace, name string) *corev1.Pod {
	obj, _, _ := c.pods.GetStore().GetByKey(namespace + "/" + name)
	pod, _ := obj.(*corev1.Pod)
	return pod
}

// PodsAt returns the pods with the address that have not ended. There is one, unless somebody has written a wrong status. The caller must
// not change them.
func (c *Catalog) PodsAt(address string) []*corev1.Pod {
	objs, _ := c.pods.GetIndexer().ByIndex(byAddress, address)
	var pods []*corev1.Pod
	for _, obj := range objs {
		if pod := obj.(*corev1.Pod); serves(pod, true) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// Services returns all Services. The caller must not change them.
func (c *Catalog) Services() []*corev1.Service {
	objs := c.services.GetStore().List()
	services := make([]*corev1.Service, 0, len(objs))
	for _, obj := range objs {
		services = append(services, obj.(*corev1.Service))
	}
	return services
}
