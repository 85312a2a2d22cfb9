package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/gardener-up/gardener-up/embedded/noexec"
	"github.com/gardener-up/gardener-up/embedded/prometheus/program/door"
	"github.com/gardener-up/gardener-up/embedded/prometheus/program/engine"
	"github.com/gardener-up/gardener-up/embedded/prometheus/settings"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(log, os.Args[1:]); err != nil {
		log.Error("Prometheus ended", "err", err)
		os.Exit(1)
	}
}

func run(log *slog.Logger, args []string) error {
	s := settings.Settings{}
	set := flag.NewFlagSet("prometheus", flag.ContinueOnError)
	s.Add(set)
	if err := set.Parse(args); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	if err := noexec.Forbid(); err != nil {
		log.Warn("This program could start programs", "err", err)
	}
	setResolver()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(ctx, log, s)
}

// serve answers that the program lives while the time series are read, which takes minutes if there are many: it must not be started again
// meanwhile.
func serve(ctx context.Context, log *slog.Logger, s settings.Settings) error {
	server := &door.Server{UsersDir: s.UsersDir, CertFile: s.CertFile, KeyFile: s.KeyFile}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, s.BindAddress) }()
	var (
		e      *engine.Engine
		opened = make(chan error, 1)
	)
	go func() {
		var err error
		e, err = engine.New(ctx, log, s)
		opened <- err
	}()
	select {
	case err := <-served:
		return err // the database survives this as it survives a crash
	case err := <-opened:
		if err != nil {
			return err
		}
	}
	e.Start()
	server.Open(e.Handler())
	return errors.Join(<-served, e.Stop())
}
