package serviceports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/portserver"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

const (
	// settleTime collects several changes of Services into one round.
	settleTime = 20 * time.Millisecond
	// firstRetry is the pause after the first failure to open a port: the kernel gives up a port some time after it is closed.
	firstRetry = 200 * time.Millisecond
	// retryInterval is the pause between attempts to open ports that another process holds.
	retryInterval = 5 * time.Second
)

// Services are those of the cluster. *catalog.Catalog has them.
type Services interface {
	Services() []*corev1.Service
	// Endpoints are the addresses host:port behind a port of a Service. Users may have written them.
	Endpoints(*corev1.Service, corev1.ServicePort) []string
}

// Config of the ports of one node.
type Config struct {
	// Node is the address at which ports are opened.
	Node netip.Addr
	// Pod finds a pod of the cluster that runs in a sandbox, on this node or on another.
	Pod func(netip.Addr) (reach.Pod, bool)
	// Local reports whether an address is that of a pod of this node.
	Local func(netip.Addr) bool
	// Tell reports what does not work to the users of a Service.
	Tell func(service *corev1.Service, reason, message string)
}

// Server opens the ports.
type Server struct {
	config  Config
	changed chan struct{} // has room for one: something changed since the last round
	open    map[port]*opened
	failed  map[port]bool   // ports that could not be opened in the last round
	told    map[string]bool // problems of the last round
}

// New returns a server that opens nothing before Run.
func New(config Config) *Server {
	return &Server{config: config, changed: make(chan struct{}, 1), open: map[port]*opened{}}
}

// Notify says that a Service has changed. It never blocks.
func (s *Server) Notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Run follows the Services, which are all known by now, until the context ends. Then all ports and their connections are closed.
func (s *Server) Run(ctx context.Context, services Services) {
	defer s.close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.round(services):
		case <-s.changed:
			select {
			case <-ctx.Done():
				return
			case <-time.After(settleTime):
			}
		}
	}
}

// round opens and closes ports until they are those that the Services ask for. It returns when the next round is due; nil means not before
// a change.
func (s *Server) round(services Services) (retry <-chan time.Time) {
	wanted, problems := claims(services.Services())
	for p, o := range s.open {
		if c, ok := wanted[p]; !ok || c.service.UID != o.claim.Load().service.UID {
			o.listener.Close()
			delete(s.open, p)
		}
	}
	failed := map[port]bool{}
	var pause time.Duration
	for p, c := range wanted {
		if o, ok := s.open[p]; ok {
			o.claim.Store(&c)
			continue
		}
		err := s.listen(p, c, services)
		switch {
		case err == nil:
			continue
		case errors.Is(err, fs.ErrPermission):
			problems = append(problems, problem{c.service, reasonForbidden, s.where(p) + " is not served, because the user who runs the landscape must not open ports below 1024: choose a higher one, or use the node port"})
			continue
		case s.failed[p]:
			pause = cmp.Or(pause, retryInterval)
			problems = append(problems, problem{c.service, reasonTaken, s.where(p) + " is taken by another program of the machine. It is tried again every few seconds"})
		default:
			pause = firstRetry
		}
		failed[p] = true
	}
	s.failed = failed
	s.tell(problems)
	if pause > 0 {
		retry = time.After(pause)
	}
	return retry
}

func (s *Server) listen(p port, c claim, services Services) (err error) {
	o := &opened{config: s.config, services: services, protocol: p.protocol}
	o.claim.Store(&c)
	o.listener, err = portserver.Listen(portserver.Config{Address: netip.AddrPortFrom(s.config.Node, p.number), Protocol: p.protocol, Dial: o.dial})
	if err == nil {
		s.open[p] = o
	}
	return err
}

func (s *Server) where(p port) string {
	return fmt.Sprintf("The %s at the node's address %s", p, s.config.Node)
}

// tell reports problems that are new.
func (s *Server) tell(problems []problem) {
	now := map[string]bool{}
	for _, p := range problems {
		key := string(p.service.UID) + p.reason + p.message
		if now[key] = true; !s.told[key] {
			s.config.Tell(p.service, p.reason, p.message)
		}
	}
	s.told = now
}

func (s *Server) close() {
	for p, o := range s.open {
		o.listener.Close()
		delete(s.open, p)
	}
}
