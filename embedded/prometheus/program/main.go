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
	e, err := engine.New(ctx, log, s)
	if err != nil {
		return err
	}
	server := door.Server{Handler: e.Handler(), UsersDir: s.UsersDir, CertFile: s.CertFile, KeyFile: s.KeyFile}
	e.Start()
	err = server.Serve(ctx, s.BindAddress)
	return errors.Join(err, e.Stop())
}
