package appliance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
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
	// Settled is called once all is ready and the work of starting is done.
	Settled func()
}

// appliance is a landscape that is being run.
type appliance struct {
	Options
	*state
	pki     *pki.PKI
	bundle  *pki.Bundle
	started time.Time
	ready   atomic.Int64 // nanoseconds from the start until all was ready; 0 before
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
	if a.state, err = openState(opts.Config, opts.Paths); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.state.close()) }()
	return a.run(ctx)
}

func (a *appliance) run(ctx context.Context) error {
	if err := a.makeCertificates(); err != nil {
		return err
	}
	parts, err := a.parts(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	var control *daemon.Control
	supervisor, err := component.NewSupervisor(parts, func(status component.Status) {
		a.noteStatus(status)
		if control != nil {
			control.Changed()
		}
	})
	if err != nil {
		return err
	}
	control, err = daemon.Serve(a.Paths.Socket(), daemon.Handlers{
		Report: func() daemon.Report { return a.report(supervisor) }, Stop: stop,
		StopPart: supervisor.StopPart, StartPart: supervisor.StartPart,
	})
	if err != nil {
		return err
	}
	defer control.Close()
	go func() {
		select {
		case <-supervisor.AllReady():
			a.ready.Store(int64(time.Since(a.started)))
			control.Changed()
			a.Settled()
		case <-ctx.Done():
		}
	}()
	return supervisor.Run(ctx)
}

// makeCertificates makes or renews everything below pki and the kubeconfigs that contain it.
func (a *appliance) makeCertificates() error {
	a.pki = pki.New(a.Paths.PKI(), pki.Hosts{
		GardenAPI:   []string{a.gardenHost()},
		GardenerAPI: []string{a.discoveryHost()},
		SeedAPI:     []string{kubernetesIP(a.Config), nodeIP(a.Config)},
		Seed:        a.Config.Seed.Name,
	}, time.Now)
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

func (a *appliance) report(s *component.Supervisor) daemon.Report {
	ready := time.Duration(a.ready.Load())
	return daemon.Report{
		PID: os.Getpid(), Version: a.Version, Landscape: a.Config.Name, Started: a.started, Ready: ready != 0, ReadyAfter: ready,
		FrontDoor: frontDoorAddress(a.Config, a.ports["front-door"]), NameServer: a.ports.local("dns"), Parts: s.Statuses(),
	}
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
