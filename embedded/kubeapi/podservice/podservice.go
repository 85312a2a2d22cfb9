// Package podservice connects an API server of a shoot with Services of the shoot whose pods run in sandboxes of embedded nodes: with
// webhooks that these pods serve, and with pods for the subresource proxy. Each connection is handed over by the node of a pod (package peers), so neither an address nor a port of the machine
// is involved.
package podservice

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/peers"
)

// syncTimeout is how long the first connection waits until Services and pods are known.
const syncTimeout = 10 * time.Second

// Services dials Services. Its methods may be called concurrently.
type Services struct {
	// peers is the directory in which the nodes of the shoot have their sockets.
	peers string

	mu      sync.Mutex
	watch   func() (*catalog.Catalog, error) // nil before Use
	catalog *catalog.Catalog                 // nil before the first connection
}

// New returns Services that are not known yet. dir is the directory in which the nodes of the shoot, and only these, have their sockets.
func New(dir string) *Services { return &Services{peers: dir} }

// Use reads Services and pods by a client, from the first connection until ctx ends. It is called once.
func (s *Services) Use(ctx context.Context, client *rest.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = func() (*catalog.Catalog, error) {
		c, err := catalog.New(client, nil)
		if err == nil {
			go c.Run(ctx)
		}
		return c, err
	}
}

// Dial connects to a ready pod behind the address and port of a Service. The error is a guardeddial.SimulatedError if no such pod is on a
// node with sandboxes.
func (s *Services) Dial(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, fmt.Errorf("connections by %s are not possible", network)
	}
	known, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	service, endpoints := known.Behind(to, corev1.ProtocolTCP)
	if service == nil {
		return nil, fmt.Errorf("no Service has the address %s", to.Addr())
	}
	name := service.Namespace + "/" + service.Name
	if len(endpoints) == 0 {
		return nil, fmt.Errorf("the Service %s has no ready pod at port %d", name, to.Port())
	}
	rand.Shuffle(len(endpoints), func(i, j int) { endpoints[i], endpoints[j] = endpoints[j], endpoints[i] })
	var failed []error
	for _, endpoint := range endpoints {
		pod, ok := peers.Find(s.peers, endpoint.Addr())
		if !ok {
			continue
		}
		conn, err := pod.Dial(ctx, podnet.TCP, endpoint.Port(), netip.Addr{}) // the pod sees its node as the origin
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	if len(failed) == 0 {
		return nil, &guardeddial.SimulatedError{Address: to.Addr(), Service: name}
	}
	return nil, fmt.Errorf("connect to Service %s: %w", name, errors.Join(failed...))
}

// DialPod connects to a pod of the cluster at its address. The error is a guardeddial.SimulatedError if no node with sandboxes has pods with
// such addresses.
func (s *Services) DialPod(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	pod, ok := peers.Find(s.peers, to.Addr())
	if !ok {
		return nil, &guardeddial.SimulatedError{Address: to.Addr()}
	}
	return pod.Dial(ctx, podnet.TCP, to.Port(), netip.Addr{}) // the pod sees its node as the origin
}

// known waits until the Services and pods of the cluster are known.
func (s *Services) known(ctx context.Context) (*catalog.Catalog, error) {
	s.mu.Lock()
	if s.catalog == nil && s.watch != nil {
		var err error
		if s.catalog, err = s.watch(); err != nil {
			s.mu.Unlock()
			return nil, fmt.Errorf("watch Services: %w", err)
		}
	}
	known := s.catalog
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	if known == nil || !known.WaitForSync(ctx) {
		return nil, errors.New("the Services of the cluster are not known yet")
	}
	return known, nil
}
