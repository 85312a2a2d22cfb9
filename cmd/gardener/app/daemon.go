package app

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// newDaemon is the process that up and run start in namespaces of its own, and that of each further seed.
func newDaemon(global *globalFlags) *cobra.Command {
	var names string
	cmd := &cobra.Command{
		Use: "daemon", Hidden: true, Args: cobra.NoArgs, Short: "Be the process of a landscape (started by up and run)",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			log, err := setLoggers(l.Log)
			if err != nil {
				return err
			}
			image.Use(l.Image)
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			options := appliance.Options{
				Config: l.Landscape, Paths: l.paths, Version: Version, Log: log, SetResolver: setResolverTo, Settled: saveMemory,
			}
			if names != "" {
				options.Cluster = &appliance.Cluster{NameServer: names}
			}
			return appliance.Run(ctx, options)
		},
	}
	cmd.Flags().StringVar(&names, appliance.ClusterFlag, "", "be the cluster of a further seed only; the address of its landscape's name server")
	return cmd
}
