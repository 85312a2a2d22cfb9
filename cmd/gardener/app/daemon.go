package app

import (
	"cmp"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/cmd/gardener/app/collector"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// startTimeoutFlag is the flag of the daemon that has the value of --timeout of up.
const startTimeoutFlag = "start-timeout"

// Flags of the daemon with what preflight has decided about containers; empty without a decision.
const (
	containersFlag = "containers"
	simulatedFlag  = "simulated-because"
	oneUserFlag    = "one-user-because"
)

// newDaemon makes the hidden verb of the background process. Up and run start one for the landscape, in its own
// namespaces, and the landscape starts one for each further seed.
func newDaemon(global *globalFlags) *cobra.Command {
	var names, shared, garden, oneUser string
	var startTimeout time.Duration
	var decided trial.Decision
	cmd := &cobra.Command{
		Use: "daemon", Hidden: true, Args: needsNone, Short: "Run the background process of a landscape (started by up and run)",
		RunE: func(cmd *cobra.Command, _ []string) error {
			collector.Usual()
			followCertificates()
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			ends, err := watchEnds(l.paths)
			if err != nil {
				return err
			}
			log, err := setLoggers(l.Log, ends.overheard)
			if err != nil {
				return err
			}
			l.Image = cmp.Or(l.Image, os.Getenv(image.Variable))
			l.Containers = cmp.Or(decided.Containers, l.Containers)
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			options := appliance.Options{
				Config: l.Landscape, Paths: l.paths, Shared: l.paths.Shared(), Version: Version, Log: log, SetResolver: setResolverTo, Settled: saveMemory,
				Note: ends.note, Fatal: ends.fatal, Asked: ends.asked, StartTimeout: startTimeout, SimulatedBecause: decided.Reason, OneUserBecause: oneUser,
			}
			if shared != "" {
				of, err := paths.New(shared)
				if err != nil {
					return err
				}
				options.Shared = of.Shared()
			}
			if names != "" {
				return appliance.RunCluster(ctx, options, names, garden)
			}
			return appliance.Run(ctx, options)
		},
	}
	cmd.Flags().DurationVar(&startTimeout, startTimeoutFlag, 0, "how long each part may take to become ready, if that is longer than its usual time")
	cmd.Flags().StringVar(&decided.Containers, containersFlag, "", "what embedded seeds and nodes of their shoots do with containers: sandbox or simulate (default: the configuration's setting)")
	cmd.Flags().StringVar(&decided.Reason, simulatedFlag, "", "why containers are simulated although nobody asked for that")
	cmd.Flags().StringVar(&oneUser, oneUserFlag, "", "why root is the only user in containers that owns files in volumes")
	cmd.Flags().StringVar(&names, own.ClusterFlag, "", "run only the cluster of a further seed; the value is the address of the landscape's name server")
	cmd.Flags().StringVar(&garden, own.GardenFlag, "", "address of the front door of the garden, for the cluster of a further seed")
	cmd.Flags().StringVar(&shared, own.SharedFlag, "", "state directory of the landscape, with what all its seeds share (default: the state directory)")
	return cmd
}
