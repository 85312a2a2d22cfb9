package frontdoor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	istiov1beta1 "github.com/gardener-up/gardener-up/embedded/apis/istio/v1beta1"
)

const (
	// kindPollInterval is the interval of checks whether the cluster has VirtualServices yet. A watch would back off up
	// to half a minute, and the definitions are installed while the landscape starts.
	kindPollInterval = 500 * time.Millisecond
	// settleTime collects several changes into one update.
	settleTime = 20 * time.Millisecond
	// defaultPort of a destination that names none.
	defaultPort = 443
)

// VirtualServices is a RouteSource of the TLS routes of all VirtualServices of a cluster, or of those that belong to
// some Gateways.
type VirtualServices struct {
	kinds    kubernetes.Interface
	client   dynamic.Interface
	selector map[string]string // of Gateways; nil for all
	log      logr.Logger
	routes   atomic.Pointer[routes]
}

// routes are the routes known at one time.
type routes struct {
	names      table
	namespaces map[string]bool // of the VirtualServices
}

// NewVirtualServices returns a source for the cluster of config, which need not serve yet.
func NewVirtualServices(config *rest.Config, log logr.Logger) (*VirtualServices, error) {
	kinds, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make dynamic client: %w", err)
	}
	v := &VirtualServices{kinds: kinds, client: client, log: log}
	v.routes.Store(&routes{})
	return v, nil
}

// Of limits the source to VirtualServices of Gateways that have exactly this selector, so that several front doors
// can share a cluster. It must be called before Run.
func (v *VirtualServices) Of(selector map[string]string) *VirtualServices {
	v.selector = selector
	return v
}

// Route implements RouteSource.
func (v *VirtualServices) Route(serverName string) (Destination, bool) {
	return v.routes.Load().names.lookup(serverName)
}

// Serves reports whether it has a VirtualService of a namespace.
func (v *VirtualServices) Serves(namespace string) bool { return v.routes.Load().namespaces[namespace] }

// Run implements RouteSource. While the cluster does not answer, the last known routes stay valid.
func (v *VirtualServices) Run(ctx context.Context) error {
	if !v.waitForKind(ctx) {
		return nil
	}
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(v.client, 0)
	services, err := watch(factory, "virtualservices", notify)
	if err != nil {
		return err
	}
	var gateways cache.SharedIndexInformer
	if v.selector != nil {
		if gateways, err = watch(factory, "gateways", notify); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), services.HasSynced) || gateways != nil && !cache.WaitForCacheSync(ctx.Done(), gateways.HasSynced) {
		return nil
	}
	for {
		var known []any
		if gateways != nil {
			known = gateways.GetStore().List()
		}
		v.routes.Store(v.build(services.GetStore().List(), known))
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settleTime):
		}
	}
}

func watch(factory dynamicinformer.DynamicSharedInformerFactory, resource string, notify func()) (cache.SharedIndexInformer, error) {
	informer := factory.ForResource(istiov1beta1.SchemeGroupVersion.WithResource(resource)).Informer()
	if err := informer.SetTransform(strip); err != nil {
		return nil, fmt.Errorf("set transform: %w", err)
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { notify() },
		UpdateFunc: func(any, any) { notify() },
		DeleteFunc: func(any) { notify() },
	})
	if err != nil {
		return nil, fmt.Errorf("add event handler: %w", err)
	}
	return informer, nil
}

func (v *VirtualServices) waitForKind(ctx context.Context) bool {
	path := "/apis/" + istiov1beta1.SchemeGroupVersion.String()
	for {
		err := v.kinds.Discovery().RESTClient().Get().AbsPath(path).Do(ctx).Error()
		if err == nil {
			return true
		}
		if !apierrors.IsNotFound(err) {
			v.log.V(1).Info("Cluster cannot be asked for VirtualServices, will try again", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(kindPollInterval):
		}
	}
}

// build makes the routes. If two objects claim a name, the older one gets it.
func (v *VirtualServices) build(objs, gateways []any) *routes {
	ours := v.gateways(gateways)
	services := make([]istiov1beta1.VirtualService, 0, len(objs))
	for _, obj := range objs {
		object, ok := obj.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		var service istiov1beta1.VirtualService
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &service); err != nil {
			v.log.Error(err, "VirtualService cannot be read", "namespace", object.GetNamespace(), "name", object.GetName())
			continue
		}
		services = append(services, service)
	}
	slices.SortFunc(services, func(a, b istiov1beta1.VirtualService) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	built := routes{names: table{}, namespaces: map[string]bool{}}
	for _, service := range services {
		if v.selector != nil && !slices.ContainsFunc(service.Spec.Gateways, func(name string) bool { return ours[inNamespace(service.Namespace, name)] }) {
			continue
		}
		built.namespaces[service.Namespace] = true
		for _, route := range service.Spec.TLS {
			if len(route.Route) == 0 {
				continue
			}
			destination := Destination{Host: route.Route[0].Destination.Host, Port: defaultPort}
			if port := route.Route[0].Destination.Port; port != nil {
				destination.Port = int(port.Number)
			}
			for _, match := range route.Match {
				for _, name := range match.SniHosts {
					built.names.add(name, destination)
				}
			}
		}
	}
	return &built
}

func strip(obj any) (any, error) {
	if object, ok := obj.(*unstructured.Unstructured); ok {
		object.SetManagedFields(nil)
	}
	return obj, nil
}
