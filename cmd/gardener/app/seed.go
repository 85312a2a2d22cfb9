package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
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
			if err := control.AddSeed(cmd.Context(), seed); err != nil {
				return cured(err, `see "gardener seed list"`)
			}
			if !wait {
				return nil
			}
			return followSeed(cmd, l, control, seed.Name, timeout, false)
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
	cmd := &cobra.Command{
		Use:     "remove NAME",
		Example: `  gardener seed remove two`,
		Short:   "Remove a further seed that no shoot uses, and wait until it is gone", Args: needs("the name of the seed"),
		ValidArgsFunction: completeSeeds(global, sourceEmbedded),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, control, err := global.loadRunning()
			if err != nil {
				return err
			}
			err = control.RemoveSeed(cmd.Context(), args[0])
			if errors.Is(err, daemon.ErrUnknownSeed) {
				return &exitError{code: codeNotFound, err: err, hint: `see "gardener seed list"; delete a seed that you created as an object with "gardener kubectl delete seed"`}
			}
			if err != nil {
				return cured(err, `see which seeds have shoots with "gardener seed list"`)
			}
			return followSeed(cmd, l, control, args[0], timeout, true)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", seedTimeout, "how long to wait until it is gone")
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

// followSeed prints the progress of a seed until it is ready or gone.
func followSeed(cmd *cobra.Command, l *landscape, control *daemon.Client, name string, timeout time.Duration, untilGone bool) error {
	garden, err := l.garden(cmd.Context())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
	defer cancel()
	show := newLive(l.display, cmd.ErrOrStderr())
	defer show.clear()
	begin, doing := time.Now(), ""
	for {
		seed := &gardencorev1beta1.Seed{}
		err := garden.Get(ctx, types.NamespacedName{Name: name}, seed)
		parts := partsOfSeed(ctx, control, name)
		switch {
		case apierrors.IsNotFound(err) && untilGone && len(parts) == 0:
			show.clear()
			took := time.Since(begin)
			l.display.tell(cmd.OutOrStdout(), event{Object: "seed " + name, State: "gone", Seconds: seconds(took)}, fmt.Sprintf("seed %s is gone after %.1f s\n", name, took.Seconds()))
			return nil
		case err == nil && untilGone:
			doing = lastOf(seed)
		case err == nil:
			notReady := cmp.Or(seeds.Usable(ctx, garden, seed), unreadyPart(ctx, control, name))
			if notReady == nil {
				show.clear()
				took := time.Since(begin)
				l.display.tell(cmd.OutOrStdout(), event{Object: "seed " + name, State: "ready", Seconds: seconds(took)}, fmt.Sprintf("seed %s is ready after %.1f s\n", name, took.Seconds()))
				return nil
			}
			doing = notReady.Error()
		case apierrors.IsNotFound(err):
			doing = pendingOf(parts)
		case ctx.Err() == nil:
			return fmt.Errorf("read seed %s: %w", name, err)
		}
		show.draw(doing)
		select {
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return ctx.Err()
			}
			return &exitError{code: codeTimeout, err: fmt.Errorf("seed %s after %s: %s", name, timeout, doing), hint: `see "gardener status"`}
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// partsOfSeed returns the parts that the landscape runs for a seed, or none if it does not run that seed.
func partsOfSeed(ctx context.Context, control *daemon.Client, name string) []component.Status {
	report, err := control.Report(ctx)
	if err != nil {
		return []component.Status{{Name: "landscape", Message: err.Error()}}
	}
	var parts []component.Status
	for _, part := range report.Parts {
		if part.Name == own.ClusterPart(name) || part.Name == own.RegistrationPart(name) {
			parts = append(parts, part)
		}
	}
	return parts
}

// unreadyPart names the first part of a seed that is not ready. The names of these parts end with the name of the
// seed.
func unreadyPart(ctx context.Context, control *daemon.Client, seed string) error {
	report, err := control.Report(ctx)
	if err != nil {
		return err
	}
	for _, part := range report.Parts {
		if part.State != component.Ready && strings.HasSuffix(part.Name, "-"+seed) {
			return fmt.Errorf("%s: %s", part.Name, cmp.Or(part.Message, "is "+strings.ToLower(string(part.State))))
		}
	}
	return nil
}

func pendingOf(parts []component.Status) string {
	for _, part := range parts {
		if part.State != component.Ready && part.Message != "" {
			return part.Message
		}
	}
	return "starting"
}

func lastOf(seed *gardencorev1beta1.Seed) string {
	if last := seed.Status.LastOperation; last != nil && last.Type == gardencorev1beta1.LastOperationTypeDelete {
		return last.Description
	}
	return "deleting"
}
