package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Origins of seeds.
const (
	sourceFirst      = "landscape"  // made with the landscape
	sourceEmbedded   = "added"      // added later with "gardener seed add"
	sourceKubeconfig = "kubeconfig" // created as an object by an operator, served by the landscape
	sourceGardenlet  = "gardenlet"  // registered by a gardenlet on another machine
)

// seedStatus is the summary of a seed.
type seedStatus struct {
	Name       string `json:"name"`
	Source     string `json:"source"`
	Kubernetes string `json:"kubernetes,omitempty"`
	Ready      bool   `json:"ready"`
	// Message says why the seed is not ready.
	Message string `json:"message,omitempty"`
	Shoots  int    `json:"shoots"`
}

func newSeedList(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "list",
		Example: `  gardener seed list -o yaml`,
		Short:   "List the seeds", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			seeds, err := collectSeeds(cmd.Context(), l)
			if err != nil {
				return err
			}
			return printAs(cmd.OutOrStdout(), output, seeds, func() [][]string { return seedRows(seeds) })
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func seedRows(seeds []seedStatus) [][]string {
	rows := [][]string{{"SEED", "SOURCE", "KUBERNETES", "SHOOTS", "READY", "MESSAGE"}}
	for _, s := range seeds {
		rows = append(rows, []string{s.Name, s.Source, s.Kubernetes, fmt.Sprint(s.Shoots), fmt.Sprint(s.Ready), s.Message})
	}
	return rows
}

func collectSeeds(ctx context.Context, l *landscape) ([]seedStatus, error) {
	control, err := l.running()
	if err != nil {
		return nil, err
	}
	report, err := askReport(ctx, control)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, gardenTimeout)
	defer cancel()
	garden, err := l.gardenWithin(ctx, gardenTimeout)
	if err != nil {
		return nil, err
	}
	seeds, shoots, err := listSeeds(ctx, garden)
	if err != nil {
		return nil, err
	}
	return summarize(seeds.Items, shoots.Items, l.Seed.Name, report.Parts), nil
}

func listSeeds(ctx context.Context, garden client.Reader) (*gardencorev1beta1.SeedList, *gardencorev1beta1.ShootList, error) {
	seeds, shoots := &gardencorev1beta1.SeedList{}, &gardencorev1beta1.ShootList{}
	if err := garden.List(ctx, seeds); err != nil {
		return nil, nil, fmt.Errorf("list seeds: %w", err)
	}
	if err := garden.List(ctx, shoots); err != nil {
		return nil, nil, fmt.Errorf("list shoots: %w", err)
	}
	return seeds, shoots, nil
}

// summarize makes the summaries that "gardener seed list" and "gardener status" print.
func summarize(registered []gardencorev1beta1.Seed, shoots []gardencorev1beta1.Shoot, first string, parts []component.Status) []seedStatus {
	all := []seedStatus{}
	for i := range registered {
		seed := &registered[i]
		s := seedStatus{Name: seed.Name, Source: sourceOf(seed, first, parts), Kubernetes: ptr.Deref(seed.Status.KubernetesVersion, "")}
		if err := seeds.Ready(seed); err != nil {
			s.Message = err.Error()
		}
		s.Ready = s.Message == ""
		for j := range shoots {
			if ptr.Deref(shoots[j].Spec.SeedName, "") == seed.Name || ptr.Deref(shoots[j].Status.SeedName, "") == seed.Name {
				s.Shoots++
			}
		}
		all = append(all, s)
	}
	return all
}

func sourceOf(seed *gardencorev1beta1.Seed, first string, parts []component.Status) string {
	brought := slices.ContainsFunc(parts, func(p component.Status) bool { return p.Name == own.ClusterPart(seed.Name) })
	switch {
	case seed.Name == first:
		return sourceFirst
	case brought:
		return sourceEmbedded
	case seed.Spec.SecretRef != nil:
		return sourceKubeconfig
	}
	return sourceGardenlet
}

// completeSeeds completes names of seeds with the given origins.
func completeSeeds(global *globalFlags, sources ...string) cobra.CompletionFunc {
	return completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
		seeds, err := collectSeeds(ctx, l)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, s := range seeds {
			if slices.Contains(sources, s.Source) {
				names = append(names, s.Name)
			}
		}
		return names, nil
	})
}
