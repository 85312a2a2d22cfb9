package appliance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/state"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// program is what a process runs: a landscape or the cluster of an own seed.
type program interface {
	listeners() state.Listeners
	hosts() pki.Hosts
	writeKubeconfigs() error
	parts(context.Context) ([]component.Part, error)
	// further are the supervisors of parts that start and stop with further seeds.
	further() []*component.Supervisor
	engine() string // the container engine of the first seed, if it has one
	ownSeeds() ownSeeds
}

// ownSeeds takes orders about further seeds.
type ownSeeds interface {
	Add(context.Context, daemon.NewSeed) error
	Remove(ctx context.Context, name string) error
	// Try returns the Seed that Add would add.
	Try(context.Context, daemon.NewSeed) (*gardencorev1beta1.Seed, error)
}

// Run brings up the landscape, runs it until ctx ends and stops it. Options.Note learns why it fails.
func Run(ctx context.Context, opts Options) error {
	p := newProcess(opts)
	return run(ctx, p, newLandscape(p))
}

// RunCluster does the same as Run for the cluster of an own seed: etcd, API server, controllers, scheduler, DNS and the
// node. The process of the landscape starts this process and runs the seed's controllers. nameServer is host:port of the
// landscape's name server, which knows the names of shoots, and garden is host:port of the front door of its garden.
func RunCluster(ctx context.Context, opts Options, nameServer, garden string) error {
	p := newProcess(opts)
	return run(ctx, p, &cluster{process: p, nameServer: nameServer, garden: garden})
}

func run(ctx context.Context, p *process, what program) (err error) {
	if err := p.Paths.Create(); err != nil {
		return fmt.Errorf("%w: %w", state.ErrDirectory, err)
	}
	if err := state.NoteFailure(p.Paths, nil); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			p.Note(err)
		}
	}()
	if p.State, err = state.Open(p.Config, p.Paths, p.Version, what.listeners()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.State.Close()) }()
	p.journal.log, p.journal.store = p.Log, p.Store
	if err := p.makeCertificates(what); err != nil {
		return err
	}
	if p.pods, err = p.openSandboxes(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.pods.release()) }()
	return supervise(ctx, p, what)
}

// supervise runs the parts and serves the control socket until ctx ends, somebody asks for the end, or a part fails.
func supervise(ctx context.Context, p *process, what program) error {
	parts, err := what.parts(ctx)
	if err != nil {
		return err
	}
	parts = append(parts,
		component.Part{Component: p.renewal(what), Restart: true},
		component.Part{Component: loop.New("log", state.Log(p.Config, p.Paths).Rotate, nil), Restart: true},
	)
	for i := range parts {
		parts[i].ReadyTimeout = max(cmp.Or(parts[i].ReadyTimeout, component.DefaultReadyTimeout), p.StartTimeout)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	context.AfterFunc(ctx, p.Asked)

	supervisor, err := component.NewSupervisor(parts, p.observe)
	if err != nil {
		return err
	}
	supervisor.OnFailure(p.Note)
	p.statuses = func() []component.Status { return append(supervisor.Statuses(), further(what)...) }
	seeds := what.ownSeeds()
	p.control, err = daemon.Serve(p.Paths.Run().Socket(), daemon.Handlers{
		Report: func() daemon.Report { return report(p, what, supervisor) }, Stop: stop,
		StopPart:  orders(what, supervisor, (*component.Supervisor).StopPart),
		StartPart: orders(what, supervisor, (*component.Supervisor).StartPart),
		AddSeed:   seeds.Add, RemoveSeed: seeds.Remove,
		TrySeed:    func(ctx context.Context, seed daemon.NewSeed) (any, error) { return seeds.Try(ctx, seed) },
		Credential: p.issue,
	})
	if err != nil {
		return err
	}
	defer p.control.Close()
	go p.begin.await(ctx, supervisor.AllReady())
	go func() {
		select {
		case <-supervisor.AllReady():
			p.ready.Store(int64(time.Since(p.started)))
			p.control.Changed()
			p.Settled()
		case <-ctx.Done():
		}
	}()
	return supervisor.Run(ctx)
}

// orders sends an order to the supervisor of the program or, if it does not have the part, to those of further seeds.
func orders(what program, own *component.Supervisor, give func(*component.Supervisor, context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, part string) error {
		err := give(own, ctx, part)
		for _, further := range what.further() {
			if !errors.Is(err, component.ErrUnknownPart) {
				break
			}
			err = give(further, ctx, part)
		}
		return err
	}
}

// report is what the control socket reports about the process.
func report(p *process, what program, own *component.Supervisor) daemon.Report {
	told := p.tell(own.Statuses(), further(what))
	told.Engine = what.engine()
	return told
}

// further are the parts of further seeds.
func further(what program) (statuses []component.Status) {
	for _, supervisor := range what.further() {
		statuses = append(statuses, supervisor.Statuses()...)
	}
	return statuses
}
