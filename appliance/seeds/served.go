package seeds

import (
	"context"
	"crypto/sha256"
	"net"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/appliance/seeds/remote"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// prepareTimeout is how long it may take to load images into the nodes.
const prepareTimeout = 5 * time.Minute

// servedSeed holds the parts that run for one Seed.
type servedSeed struct {
	uid        types.UID
	sum        [sha256.Size]byte // of the kubeconfig
	supervisor *component.Supervisor
	routes     *frontdoor.VirtualServices
	hosting    remote.Hosting
	seed       remote.Seed
	stop       context.CancelFunc
	ended      chan struct{}
	err        error // why the parts have ended, if they have
}

// running reports whether the parts run or are being started.
func (s *servedSeed) running() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// serve runs the parts of a seed in the background until they are stopped. If they end by themselves, ended is called.
func serve(seed remote.Seed, parts func(routes *frontdoor.VirtualServices) []component.Part, in Inputs, ended func()) (*servedSeed, error) {
	routes, err := frontdoor.NewVirtualServices(seed.Access, in.Log.WithName(servers.FrontDoor))
	if err != nil {
		return nil, err
	}
	supervisor, err := component.NewSupervisor(parts(routes), in.Observe)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	served := &servedSeed{supervisor: supervisor, routes: routes, hosting: seed.Hosting, seed: seed, stop: stop, ended: make(chan struct{})}
	go func() {
		defer stop()
		served.err = supervisor.Run(ctx)
		close(served.ended)
		if ctx.Err() == nil {
			ended()
		}
	}()
	return served, nil
}

// partsOf are the parts of a remote seed. The first seed has the same parts. Here the name of the seed follows the name of the
// part.
func partsOf(seed remote.Seed, routes *frontdoor.VirtualServices, roles *managers.Remote) []component.Part {
	nodes := managers.PartOf("nodes", seed.Name())
	return append([]component.Part{
		{Component: loop.New(managers.PartOf("routes", seed.Name()), routes.Run, nil)},
		{Component: component.NewStep(nodes, seed.Prepare, nil), ReadyTimeout: prepareTimeout},
	}, roles.Parts(nodes)...)
}

// allReady reports whether all parts have been ready.
func (s *servedSeed) allReady() bool {
	select {
	case <-s.supervisor.AllReady():
		return true
	default:
		return false
	}
}

// destination is the front door of the seed. A connection waits for it no longer than its user would.
func (s *servedSeed) destination() (frontdoor.Destination, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), entry.AnswerTimeout)
	defer cancel()
	address, err := s.hosting.FrontDoor(ctx)
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
