package app

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// seedTimeout is how long verbs wait for a seed by default.
const seedTimeout = 5 * time.Minute

func newSeed(global *globalFlags) *cobra.Command {
	cmd := asGroup(&cobra.Command{
		Use: "seed", GroupID: "landscape", Short: "Add, list and remove seeds of the running landscape",
		Long: `Add, list and remove seeds of the running landscape. A further seed is an embedded cluster in its own process, or a kind cluster.
Shoots are spread over the seeds, or choose one with spec.seedName. "gardener down" keeps further seeds; only "gardener seed remove" removes them.`,
		Example: `  gardener seed add two
  gardener kubeconfig seed two > two.yaml
  gardener seed remove two`,
	})
	cmd.AddCommand(newSeedAdd(global), newSeedList(global), newSeedRemove(global))
	return cmd
}

func newSeedAdd(global *globalFlags) *cobra.Command {
	var (
		seed    daemon.NewSeed
		timeout time.Duration
		wait    bool
	)
	cmd := &cobra.Command{
		Use: "add NAME",
		Example: `  gardener seed add two
  gardener seed add three --provider kind --timeout 10m`,
		Short: "Start a further seed and wait until it is ready", Args: needs("the name of the seed"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			seed.Name = args[0]
			l, control, err := global.loadRunning()
			if err != nil {
				return err
			}
			added := seedWait{name: seed.Name, timeout: timeout}
			if err := control.AddSeed(cmd.Context(), seed); cmd.Context().Err() != nil { // the landscape may have taken the order
				return added.ended(cmd.Context(), "")
			} else if err != nil {
				return cured(err, `choose another name or other ranges; "gardener seed list" shows which seeds there are`)
			}
			if !wait {
				return nil
			}
			return added.follow(cmd, l, control)
		},
	}
	cmd.Flags().StringVar(&seed.Provider, "provider", "", `what the seed is: "embedded" (a process) or "kind" (a container) (default "embedded")`)
	cmd.Flags().StringVar(&seed.NodeImage, "node-image", "", `node image, only for provider kind (default: that of a first seed on kind, or "`+config.DefaultNodeImage+`")`)
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions([]string{config.ProviderEmbedded, config.ProviderKind}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&seed.PodCIDR, "pods", "", "pod range of the seed within 127.0.0.0/9, or a private range for kind (default: a free range)")
	cmd.Flags().StringVar(&seed.ServiceCIDR, "services", "", "Service range of the seed within 127.0.0.0/9, or a private range for kind (default: a free range)")
	cmd.MarkFlagsRequiredTogether("pods", "services")
	cmd.Flags().DurationVar(&timeout, "timeout", seedTimeout, "how long to wait until the seed is ready")
	cmd.Flags().BoolVar(&wait, "wait", true, "wait until the seed is ready")
	return cmd
}

func newSeedRemove(global *globalFlags) *cobra.Command {
	var timeout time.Duration
	rehearsal := &rehearsal{}
	cmd := &cobra.Command{
		Use: "remove NAME",
		Example: `  gardener seed remove two
  gardener seed remove two --dry-run`,
		Short: "Remove a further seed that no shoot uses, and wait until it is gone", Args: needs("the name of the seed"),
		ValidArgsFunction: completeSeeds(global, sourceEmbedded),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, control, err := global.loadRunning()
			if err != nil {
				return err
			}
			if rehearsal.dryRun {
				return tryRemoval(cmd, l, args[0], rehearsal)
			}
			removed := seedWait{name: args[0], timeout: timeout, untilGone: true}
			err = control.RemoveSeed(cmd.Context(), args[0])
			if cmd.Context().Err() != nil { // the landscape may have taken the order
				return removed.ended(cmd.Context(), "")
			}
			if errors.Is(err, daemon.ErrUnknownSeed) {
				return &exitError{code: codeNotFound, err: err, hint: `see "gardener seed list"; delete a seed that you created as an object with "gardener kubectl delete seed"`}
			}
			if err != nil {
				return cured(err, `"gardener seed list" shows where seeds come from, and how many shoots they have`)
			}
			return removed.follow(cmd, l, control)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", seedTimeout, "how long to wait until it is gone")
	rehearsal.addTo(cmd, global)
	return cmd
}

// loadRunning is load for verbs that need a running daemon.
func (g *globalFlags) loadRunning() (*landscape, *daemon.Client, error) {
	l, err := g.load(nil)
	if err != nil {
		return nil, nil, err
	}
	control, err := l.running()
	return l, control, err
}
