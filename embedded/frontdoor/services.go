package frontdoor

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// apiServerService is the name of the Service of a shoot's API server, shootPrefix that of its namespace.
const (
	apiServerService = "kube-apiserver"
	shootPrefix      = "shoot--"
)

// ServiceAddresses is an AddressSource with the addresses of the API servers' Services of all shoots in a cluster.
type ServiceAddresses struct {
	client kubernetes.Interface
	known  atomic.Pointer[map[netip.Addr]apiServer]
}

// hostOf is the full name of the Service in a namespace.
func hostOf(namespace string) string {
	return apiServerService + "." + namespace + ".svc.cluster.local"
}

// apiServer is the Service of an API server.
type apiServer struct {
	Destination
	namespace string
}

// NewServiceAddresses returns a source for the cluster of config, which need not serve yet.
func NewServiceAddresses(config *rest.Config) (*ServiceAddresses, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	s := &ServiceAddresses{client: client}
	s.known.Store(&map[netip.Addr]apiServer{})
	return s, nil
}

// Service implements AddressSource.
func (s *ServiceAddresses) Service(address netip.Addr) (Destination, string, bool) {
	found, ok := (*s.known.Load())[address]
	return found.Destination, found.namespace, ok
}

// Run implements AddressSource. While the cluster does not answer, the last known addresses stay valid.
func (s *ServiceAddresses) Run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, apiServerService).String()
	}))
	informer := factory.Core().V1().Services().Informer()
	refresh := func(any) { s.refresh(informer.GetStore().List()) }
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: refresh, UpdateFunc: func(_, object any) { refresh(object) }, DeleteFunc: refresh,
	})
	if err != nil {
		return fmt.Errorf("add event handler: %w", err)
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

func (s *ServiceAddresses) refresh(objects []any) {
	known := map[netip.Addr]apiServer{}
	for _, object := range objects {
		service, ok := object.(*corev1.Service)
		if !ok || !strings.HasPrefix(service.Namespace, shootPrefix) {
			continue
		}
		for _, ip := range service.Spec.ClusterIPs {
			if address, err := netip.ParseAddr(ip); err == nil {
				known[address] = apiServer{Destination{Host: hostOf(service.Namespace), Port: defaultPort}, service.Namespace}
			}
		}
	}
	s.known.Store(&known)
}
