package appliance

import (
	"context"
	"crypto/sha256"
	"net"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// prepareTimeout is how long it may take to bring images to the nodes.
const prepareTimeout = 5 * time.Minute

// servedSeed is what runs for one Seed.
type servedSeed struct {
	uid        types.UID
	sum        [sha256.Size]byte // of the kubeconfig
	supervisor *component.Supervisor
	routes     *frontdoor.VirtualServices
	hosting    hosting
	stop       context.CancelFunc
	ended      chan struct{}
	err        error // why the parts have ended, if they have
}

// running tells whether the parts run, or are being started.
func (s *servedSeed) running() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// start runs the parts of a seed in the background until they are stopped. If they end by themselves, s.ended tells.
func (s *seeds) start(k kubeconfigSeed) (*servedSeed, error) {
	routes, err := frontdoor.NewVirtualServices(k.access, s.a.Log.WithName("front-door"))
	if err != nil {
		return nil, err
	}
	supervisor, err := component.NewSupervisor(s.parts(k, routes), s.a.observe)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	served := &servedSeed{supervisor: supervisor, routes: routes, hosting: k.hosting, stop: stop, ended: make(chan struct{})}
	go func() {
		defer stop()
		served.err = supervisor.Run(ctx)
		close(served.ended)
		if ctx.Err() == nil {
			s.ended <- event.GenericEvent{Object: &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: k.name()}}}
		}
	}()
	return served, nil
}

// parts of a further seed are of each kind what the first seed has, with the name of the seed behind it.
func (s *seeds) parts(k kubeconfigSeed, routes *frontdoor.VirtualServices) []component.Part {
	m := &managers{a: s.a, seed: k, garden: s.garden.Load().garden}
	parts := []component.Part{
		{Component: component.NewLoop(m.part("routes"), routes.Run, nil)},
		{Component: component.NewStep(m.part("nodes"), k.prepare, nil), ReadyTimeout: prepareTimeout},
		{Component: component.NewStep(m.part("seed-kinds"), m.installSeedKinds, nil)},
		{After: []string{m.part("seed-kinds")}, Component: component.NewLoop(m.part("caches"), m.runCaches, m.cachesReady)},
	}
	for _, role := range m.seedRoles() {
		parts = append(parts, component.Part{After: []string{m.part("caches"), m.part("nodes")}, Restart: true, Component: role})
	}
	return parts
}

// destination is the front door of the seed. A connection waits for it no longer than its user would.
func (s *servedSeed) destination() (frontdoor.Destination, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	address, err := s.hosting.frontDoor(ctx)
	if err != nil {
		return frontdoor.Destination{}, false
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return frontdoor.Destination{}, false
	}
	port, err := strconv.Atoi(text)
	return frontdoor.Destination{Host: host, Port: port}, err == nil
}
