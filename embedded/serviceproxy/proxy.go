package serviceproxy

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
)

const (
	// settleTime collects several changes into one sync.
	settleTime = 20 * time.Millisecond
	// retryInterval is the pause between attempts to open ports that another process holds.
	retryInterval = 5 * time.Second
)

// address is where a Service's port is served.
type address struct {
	ip       netip.Addr
	port     uint16
	protocol corev1.Protocol
}

func (a address) hostPort() string { return netip.AddrPortFrom(a.ip, a.port).String() }

// proxy is one run of the server: listeners that follow the Services.
type proxy struct {
	config    Config
	catalog   *catalog.Catalog
	changed   chan struct{} // has room for one: something changed since the last sync
	listeners map[address]*listener
	denied    sync.Once            // the first port that this user must not open has been logged
	failed    map[address]struct{} // ports whose failure has been logged
	ready     atomic.Bool
	turn      atomic.Uint32 // for round robin
}

// notify never blocks.
func (p *proxy) notify() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *proxy) run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { p.catalog.Run(ctx) })
	defer func() {
		for _, l := range p.listeners {
			l.Close()
		}
	}()
	if !p.catalog.WaitForSync(ctx) {
		return ctx.Err()
	}
	retry := time.NewTicker(retryInterval)
	defer retry.Stop()
	for {
		incomplete := p.sync()
		p.ready.Store(true)
		retryC := retry.C
		if !incomplete {
			retryC = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-retryC:
		case <-p.changed:
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(settleTime):
			}
		}
	}
}

// sync opens and closes listeners until they are those that the Services ask for. Those that stay are not touched.
// It reports whether some port could not be opened but may be later.
func (p *proxy) sync() (incomplete bool) {
	wanted := p.wanted()
	for a, l := range p.listeners {
		if _, ok := wanted[a]; !ok {
			l.Close()
			delete(p.listeners, a)
		}
	}
	for a, target := range wanted {
		if l, ok := p.listeners[a]; ok {
			l.target.Store(&target)
			continue
		}
		l, err := p.listen(a, target)
		switch {
		case err == nil:
			p.listeners[a] = l
			delete(p.failed, a)
		case errors.Is(err, fs.ErrPermission):
			p.denied.Do(func() {
				p.config.Log.Info("Ports below 1024 cannot be served without the right to open them", "address", a.hostPort(), "service", target.name())
			})
		default:
			incomplete = true
			if _, logged := p.failed[a]; logged {
				continue
			}
			p.failed[a] = struct{}{}
			p.config.Log.Error(err, "Port of a Service cannot be served, will try again", "address", a.hostPort(), "service", target.name())
		}
	}
	return incomplete
}

// target is the Service and the port behind a listener.
type target struct {
	namespace, service string
	port               corev1.ServicePort
}

func (t target) name() string { return t.namespace + "/" + t.service }

func (p *proxy) wanted() map[address]target {
	wanted := map[address]target{}
	for _, service := range p.catalog.Services() {
		if service.Spec.Type == corev1.ServiceTypeExternalName {
			continue
		}
		ip, err := netip.ParseAddr(service.Spec.ClusterIP) // fails for headless ones
		if err != nil || !p.config.ServiceCIDR.Contains(ip) {
			continue
		}
		for _, port := range service.Spec.Ports {
			if port.Protocol == corev1.ProtocolTCP || port.Protocol == corev1.ProtocolUDP {
				wanted[address{ip, uint16(port.Port), port.Protocol}] = target{service.Namespace, service.Name, port}
			}
		}
	}
	return wanted
}

// endpoints returns all addresses behind a target, starting with a different one each time.
func (p *proxy) endpoints(t target) []string {
	if server := p.config.Servers[types.NamespacedName{Namespace: t.namespace, Name: t.service}]; server != "" {
		return []string{server}
	}
	service := p.catalog.Service(t.namespace, t.service)
	if service == nil {
		return nil
	}
	addresses := p.catalog.Endpoints(service, t.port)
	if len(addresses) < 2 {
		return addresses
	}
	first := int(p.turn.Add(1) % uint32(len(addresses)))
	return append(addresses[first:len(addresses):len(addresses)], addresses[:first]...)
}

func (p *proxy) endpoint(host string, port int) (string, error) {
	namespace, name, err := parseHost(host)
	if err != nil {
		return "", err
	}
	service := p.catalog.Service(namespace, name)
	if service == nil {
		return "", errors.New("there is no Service " + namespace + "/" + name)
	}
	for _, servicePort := range service.Spec.Ports {
		if int(servicePort.Port) != port {
			continue
		}
		if addresses := p.endpoints(target{namespace, name, servicePort}); len(addresses) > 0 {
			return addresses[0], nil
		}
		return "", errors.New("no pod is ready behind Service " + namespace + "/" + name)
	}
	return "", errors.New("Service " + namespace + "/" + name + " has no port " + strconv.Itoa(port))
}

var errNoEndpoint = errors.New("no endpoint could be reached")

// dial connects to the first endpoint that accepts the connection.
func (p *proxy) dial(ctx context.Context, network string, t target) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	for _, endpoint := range p.endpoints(t) {
		if conn, err := dialer.DialContext(ctx, network, endpoint); err == nil {
			return conn, nil
		}
	}
	return nil, errNoEndpoint
}
