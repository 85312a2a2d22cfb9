package appliance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Options of Run.
type Options struct {
	Config  *config.Landscape // defaulted and valid
	Paths   paths.Paths
	Version string // of the appliance
	Log     logr.Logger
	// SetResolver makes the process resolve names through the DNS server at the address. The names of Services of the
	// embedded seed are known there only.
	SetResolver func(address string)
	// Cluster makes this process that of a further seed, without garden and controllers; nil for a landscape.
	Cluster *Cluster
	// Settled is called once all is ready and the work of starting is done.
	Settled func()
}

// appliance is a landscape that is being run.
type appliance struct {
	Options
	*state
	pki     *pki.PKI
	seeds   *seeds                        // beside the first one
	further *ownSeeds                     // those of them that the landscape brings up
	garden  func() (client.Client, error) // of the landscape itself, uncached
	control *daemon.Control               // while it runs
	bundle  *pki.Bundle
	started time.Time
	ready   atomic.Int64 // nanoseconds from the start until all was ready; 0 before
	engine  string       // the container engine of the first seed, if it has one
}

// Run brings up the landscape, keeps it running until ctx ends and stops it. An error is noted for LastFailure, too.
func Run(ctx context.Context, opts Options) (err error) {
	if err := opts.Paths.Create(); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if err := noteFailure(opts.Paths, nil); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, noteFailure(opts.Paths, err))
		}
	}()
	a := &appliance{Options: opts, started: time.Now()}
	a.garden = sync.OnceValues(func() (client.Client, error) {
		return uncachedClient(a.gardenAs("appliance", a.bundle.Garden.Appliance).Config(), install.AddGarden)
	})
	names := portNames
	if opts.Cluster != nil {
		names = clusterPortNames
	}
	if a.state, err = openState(opts.Config, opts.Paths, names); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.state.close()) }()
	return a.run(ctx)
}

func (a *appliance) run(ctx context.Context) error {
	if err := a.makeCertificates(); err != nil {
		return err
	}
	list := a.parts
	if a.Cluster != nil {
		list = a.clusterParts
	}
	parts, err := list(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	supervisor, err := component.NewSupervisor(parts, a.observe)
	if err != nil {
		return err
	}
	a.control, err = daemon.Serve(a.Paths.Socket(), daemon.Handlers{
		Report: func() daemon.Report { return a.report(supervisor) }, Stop: stop,
		StopPart:  a.partOrder(supervisor, (*component.Supervisor).StopPart),
		StartPart: a.partOrder(supervisor, (*component.Supervisor).StartPart),
		AddSeed:   a.further.add, RemoveSeed: a.further.remove,
	})
	if err != nil {
		return err
	}
	defer a.control.Close()
	go func() {
		select {
		case <-supervisor.AllReady():
			a.ready.Store(int64(time.Since(a.started)))
			a.control.Changed()
			a.Settled()
		case <-ctx.Done():
		}
	}()
	return supervisor.Run(ctx)
}

// makeCertificates makes or renews everything below pki and the kubeconfigs that contain it.
func (a *appliance) makeCertificates() error {
	hosts := pki.Hosts{SeedAPI: []string{kubernetesIP(a.Config), nodeIP(a.Config)}, Seed: a.Config.Seed.Name}
	if a.Cluster == nil {
		hosts.GardenAPI, hosts.GardenerAPI = []string{a.gardenHost()}, []string{a.discoveryHost()}
	}
	a.pki = pki.New(a.Paths.PKI(), hosts, time.Now)
	bundle, err := a.pki.Ensure()
	if err != nil {
		return err
	}
	a.bundle = bundle
	return a.writeKubeconfigs()
}

// renewal looks for certificates that are due while the landscape runs.
func (a *appliance) renewal() component.Component {
	return component.NewLoop("certificates", func(ctx context.Context) error {
		return a.pki.RunRenewal(ctx, func(_ *pki.Bundle, err error) {
			if err == nil {
				err = a.writeKubeconfigs()
			}
			if err != nil {
				a.Log.Error(err, "Renewal of certificates is retried", "interval", pki.RenewInterval.String())
			}
		})
	}, nil)
}

// partOrder gives an order for a part to the landscape or, if it has no such part, to the further seeds.
func (a *appliance) partOrder(own *component.Supervisor, give func(*component.Supervisor, context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, part string) error {
		err := give(own, ctx, part)
		for _, further := range a.furtherSupervisors() {
			if !errors.Is(err, component.ErrUnknownPart) {
				break
			}
			err = give(further, ctx, part)
		}
		return err
	}
}

// furtherSupervisors are those of the parts that come and go with further seeds.
func (a *appliance) furtherSupervisors() []*component.Supervisor {
	return append(a.further.supervisors(), a.seeds.supervisors()...)
}

func (a *appliance) report(s *component.Supervisor) daemon.Report {
	ready := time.Duration(a.ready.Load())
	parts := s.Statuses()
	for _, further := range a.furtherSupervisors() {
		parts = append(parts, further.Statuses()...)
	}
	return daemon.Report{
		PID: os.Getpid(), Version: a.Version, Landscape: a.Config.Name, Started: a.started, Ready: ready != 0, ReadyAfter: ready,
		FrontDoor: frontDoorAddress(a.Config, a.ports["front-door"]), HandlerFrontDoors: a.Config.HandlerFrontDoors(a.ports["front-door"]), NameServer: a.ports.local("dns"), Engine: a.engine, Parts: parts,
	}
}

// observe is called on each change of a part's status.
func (a *appliance) observe(status component.Status) {
	a.noteStatus(status)
	a.control.Changed()
}

// noteStatus keeps the steps of a start in the journal.
func (a *appliance) noteStatus(status component.Status) {
	log := a.Log.WithValues("part", status.Name, "state", status.State)
	switch status.State {
	case component.Ready:
		log.Info("Part is ready", "took", status.Took.String())
	case component.Failed, component.Backoff:
		log.Info("Part ended", "reason", status.Message)
	case component.Stopped:
		log.Info("Part stopped")
	default:
		return
	}
	entry := store.Entry{Time: time.Now().UTC(), Step: status.Name, Message: string(status.State) + " " + status.Message}
	if err := a.store.Note(entry); err != nil {
		a.Log.Error(err, "Journal cannot be written")
	}
}
