package frontdoor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// Alternatives knows the servers behind destinations.
type Alternatives interface {
	// Run keeps the addresses up to date until ctx ends.
	Run(ctx context.Context) error
	// Of returns the addresses host:port of all servers behind a destination that take connections, perhaps none. known is false if only the
	// destination itself is known. It is called from many goroutines, and may wait until ctx ends.
	Of(ctx context.Context, destination Destination) (addresses []string, known bool)
}

// Endpoints are the addresses of the API servers of all shoots in a cluster. The cluster's own network needs most of a minute to notice
// that a node is lost. It knows no more when its API server is lost as well.
type Endpoints struct {
	client kubernetes.Interface
	listed context.Context                     // ends when they have been read once
	read   context.CancelFunc                  // ends it
	known  atomic.Pointer[map[string][]string] // by namespace
}

// NewEndpoints returns the endpoints in the cluster of config, which need not serve yet.
func NewEndpoints(config *rest.Config) (*Endpoints, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return newEndpoints(client), nil
}

func newEndpoints(client kubernetes.Interface) *Endpoints {
	e := &Endpoints{client: client}
	e.listed, e.read = context.WithCancel(context.Background())
	e.known.Store(&map[string][]string{})
	return e
}

// Of implements Alternatives. The order differs each time, so that all servers get connections. An API server without endpoints has no
// address: that of its Service would lead out of the cluster while no kube-proxy of the node knows it.
func (e *Endpoints) Of(ctx context.Context, destination Destination) (addresses []string, known bool) {
	labels := strings.Split(destination.Host, ".") // kube-apiserver.<namespace>.svc…
	if len(labels) < 3 || labels[0] != apiServerService || !strings.HasPrefix(labels[1], shootPrefix) || labels[2] != "svc" {
		return nil, false
	}
	select {
	case <-e.listed.Done():
	case <-ctx.Done():
		return nil, true
	}
	endpoints := (*e.known.Load())[labels[1]]
	shuffled := make([]string, len(endpoints))
	for i, j := range rand.Perm(len(endpoints)) {
		shuffled[i] = endpoints[j]
	}
	return shuffled, true
}

// Run implements Alternatives. While the cluster does not answer, the last known addresses stay valid.
func (e *Endpoints) Run(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(e.client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.LabelSelector = discoveryv1.LabelServiceName + "=" + apiServerService
	}))
	informer := factory.Discovery().V1().EndpointSlices().Informer()
	refresh := func(any) { e.refresh(informer.GetStore().List()) }
	handled, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: refresh, UpdateFunc: func(_, object any) { refresh(object) }, DeleteFunc: refresh,
	})
	if err != nil {
		return fmt.Errorf("add event handler: %w", err)
	}
	factory.Start(ctx.Done())
	if cache.WaitForCacheSync(ctx.Done(), handled.HasSynced) {
		e.read()
	}
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// refresh is called by one goroutine.
func (e *Endpoints) refresh(objects []any) {
	known := map[string][]string{}
	for _, object := range objects {
		slice, ok := object.(*discoveryv1.EndpointSlice)
		if !ok || !strings.HasPrefix(slice.Namespace, shootPrefix) {
			continue
		}
		for _, port := range slice.Ports {
			if ptr.Deref(port.Name, "") != apiServerService || port.Port == nil {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				if !ptr.Deref(endpoint.Conditions.Ready, true) {
					continue
				}
				for _, address := range endpoint.Addresses {
					known[slice.Namespace] = append(known[slice.Namespace], net.JoinHostPort(address, strconv.Itoa(int(*port.Port))))
				}
			}
		}
	}
	e.known.Store(&known)
}
