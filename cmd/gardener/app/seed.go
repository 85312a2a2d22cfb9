package app

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
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
	rehearsal := &rehearsal{}
	cmd := &cobra.Command{
		Use: "add NAME",
		Example: `  gardener seed add two
  gardener seed add three --provider kind --timeout 10m
  gardener seed add four --dry-run -o yaml`,
		Short: "Start a further seed and wait until it is ready", Args: needs("the name of the seed"), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			seed.Name = args[0]
			if err := checkName("seed", seed.Name); err != nil {
				return err
			}
			l, control, err := global.loadRunning()
			if err != nil {
				return err
			}
			if rehearsal.dryRun {
				return tryAddition(cmd, control, seed, rehearsal)
			}
			added := seedWait{name: seed.Name, timeout: timeout}
			if err := control.AddSeed(cmd.Context(), seed); cmd.Context().Err() != nil { // the landscape may have taken the order
				return added.ended(cmd.Context(), "")
			} else if err != nil {
				return cured(err, addCure(seed.Provider))
			}
			if !wait {
				return nil
			}
			return added.follow(cmd, l, control)
		},
	}
	addProvider(cmd, &seed.Provider, `what the seed is: "embedded" (a process) or "kind" (a container) (default "embedded")`)
	cmd.Flags().StringVar(&seed.NodeImage, "node-image", "", `node image, only for provider kind (default: that of a first seed on kind, or "`+config.DefaultNodeImage+`")`)
	cmd.Flags().StringVar(&seed.PodCIDR, "pods", "", "pod range of the seed within 127.0.0.0/9, or a private range for kind (default: a free range)")
	cmd.Flags().StringVar(&seed.ServiceCIDR, "services", "", "Service range of the seed within 127.0.0.0/9, or a private range for kind (default: a free range)")
	cmd.MarkFlagsRequiredTogether("pods", "services")
	cmd.Flags().DurationVar(&timeout, "timeout", seedTimeout, "how long to wait until the seed is ready")
	cmd.Flags().BoolVar(&wait, "wait", true, "wait until the seed is ready")
	rehearsal.addTo(cmd, global)
	return cmd
}

// addCure is what helps with a seed that cannot be added.
func addCure(provider string) string {
	const cure = `choose another name or other ranges ("gardener seed list" shows the seeds)`
	if provider == config.ProviderKind {
		return cure + `; "gardener doctor --provider kind" shows what is missing`
	}
	return cure
}

// tryAddition asks the landscape and the garden whether the seed could be added, and says what it would be.
func tryAddition(cmd *cobra.Command, control *daemon.Client, seed daemon.NewSeed, rehearsal *rehearsal) error {
	object := &gardencorev1beta1.Seed{}
	if err := control.TrySeed(cmd.Context(), seed, object); err != nil {
		return cured(err, addCure(seed.Provider))
	}
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return err
	}
	rehearsal.note(withoutChoices(object), object)
	return rehearsal.tell(cmd, scheme, "seed "+seed.Name, "would be added")
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

// withoutChoices is a Seed without what the landscape has chosen for it. The text of a dry run tells that; -o yaml tells the rest.
func withoutChoices(seed *gardencorev1beta1.Seed) *gardencorev1beta1.Seed {
	without := seed.DeepCopy()
	without.Spec.Networks.Pods, without.Spec.Networks.Services, without.Spec.Networks.Nodes = "", "", nil
	without.Spec.Provider.Type, without.Spec.Provider.Zones, without.Spec.Ingress = "", nil, nil
	return without
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
