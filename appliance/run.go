package appliance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/journal"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/sandboxes"
	"github.com/gardener-up/gardener-up/appliance/state"
)

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
	if p.state, err = state.Open(p.Config, p.Paths, p.Version, what.listeners()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.state.Close()) }()
	p.journal = journal.New(p.Log, p.state.Store)
	if err := p.makeCertificates(what); err != nil {
		return err
	}
	if p.pods, err = sandboxes.Open(sandboxes.Inputs{
		Config: p.Config, Paths: p.Paths, Shared: p.Shared, ID: p.state.Identity.ID, Store: p.state.Store, SimulatedBecause: p.SimulatedBecause, OneUserBecause: p.OneUserBecause,
	}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.pods.Release()) }()
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
	go p.begin.Await(ctx, supervisor.AllReady())
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

// report is what the control socket reports about the process.
func report(p *process, what program, own *component.Supervisor) daemon.Report {
	told := p.tell(own.Statuses(), further(what))
	told.Engine = what.engine()
	return told
}
