// Package garden runs the two API servers of a garden, kube-apiserver and the Gardener API server, in one process,
// as a landscape's process does. It is a component for tests and measurements of these two servers. It starts no
// etcd, registers nothing and has no controllers.
package garden

import (
	"context"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
)

// stopTimeout bounds the orderly end of both servers after a signal.
const stopTimeout = 30 * time.Second

// Both servers have the limits that are the default of a landscape.
const maxRequestsPerUser, maxWatchesPerUser = 100, 500

// Command is both servers as a component. They end together.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:                "garden [flags of kube-apiserver] -- [flags of the Gardener API server]",
		Short:              "Run kube-apiserver and the Gardener API server in one process",
		DisableFlagParsing: true,
		SilenceUsage:       true,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := slices.Index(args, "--")
			if dash < 0 || slices.Contains(args, "--help") {
				return cmd.Help()
			}
			config, err := gardenapi.Parse(args[dash+1:])
			if err != nil {
				return err
			}
			config.MaxRequestsPerUser, config.MaxWatchesPerUser = maxRequestsPerUser, maxWatchesPerUser
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return run(ctx, args[:dash], config, klog.Background())
		},
	}
}

func run(ctx context.Context, args []string, config gardenapi.Config, log logr.Logger) error {
	gardener := gardenapi.New(config)
	kube := kubeapi.New(kubeapi.Config{
		Name: "kube-apiserver", Args: args, Log: log, MaxRequestsPerUser: maxRequestsPerUser, MaxWatchesPerUser: maxWatchesPerUser,
		Aggregated: &kubeapi.Aggregated{Namespace: gardenapi.Namespace, Service: gardenapi.ServiceName, Handler: gardener.Handler},
	})
	stopping, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer func() {
		time.AfterFunc(stopTimeout, cancel)
		_ = gardener.Stop(stopping)
		_ = kube.Stop(stopping)
	}()
	if err := kube.Start(ctx); err != nil {
		return err
	}
	if err := gardener.Start(ctx); err != nil {
		return err
	}
	select {
	case <-kube.Done():
		return kube.Err()
	case <-gardener.Done():
		return gardener.Err()
	case <-ctx.Done():
		return nil
	}
}
