package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
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
	Provider   string `json:"provider,omitempty"`
	Region     string `json:"region,omitempty"`
	// Gardener is the version of the gardenlet that looks after the seed.
	Gardener string      `json:"gardener,omitempty"`
	Created  metav1.Time `json:"created"`
	// Message says why the seed is not ready.
	Message string `json:"message,omitempty"`
	Shoots  int    `json:"shoots"`
}

func newSeedList(global *globalFlags) *cobra.Command {
	var output string
	var watch bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Example: `  gardener seed list
  gardener seed list -o wide
  gardener seed list --watch`,
		Short: "List the seeds", Args: needsNone,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			if watch {
				tick, stop := every(followPeriod)
				defer stop()
				return followed[seedStatus]{
					output: output, display: l.display, name: func(s seedStatus) string { return s.Name },
					collect: func(ctx context.Context) ([]seedStatus, error) { return collectSeeds(ctx, l) },
					rows:    func(seeds []seedStatus) [][]string { return seedsAs(output, seeds) },
				}.follow(cmd.Context(), cmd.OutOrStdout(), tick)
			}
			seeds, err := collectSeeds(cmd.Context(), l)
			if err != nil {
				return err
			}
			return l.display.printAs(cmd.OutOrStdout(), output, seeds, func() [][]string { return seedsAs(output, seeds) })
		},
	}
	addOutput(cmd, &output, "wide", "name")
	addWatch(cmd, &watch)
	return cmd
}

func seedRows(seeds []seedStatus) [][]string {
	rows := [][]string{{"SEED", "SOURCE", "KUBERNETES", "SHOOTS", "READY", "MESSAGE"}}
	for _, s := range seeds {
		rows = append(rows, []string{s.Name, s.Source, s.Kubernetes, fmt.Sprint(s.Shoots), tinted(tintOfSeed(s), fmt.Sprint(s.Ready)), s.Message})
	}
	return rows
}

// seedsAs are the rows of the outputs that are tables.
func seedsAs(output string, seeds []seedStatus) [][]string {
	rows := seedRows(seeds)
	switch output {
	case "name":
		rows = rows[1:]
		for i, s := range seeds {
			rows[i] = []string{s.Name}
		}
	case "wide":
		rows[0] = append(rows[0], "PROVIDER", "REGION", "GARDENER", "AGE")
		for i, s := range seeds {
			rows[i+1] = append(rows[i+1], s.Provider, s.Region, s.Gardener, duration.HumanDuration(time.Since(s.Created.Time)))
		}
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
	in, err := listSeeds(ctx, garden)
	if err != nil {
		return nil, err
	}
	return in.summarize(l.Seed.Name, report.Parts), nil
}

// gardenOfSeeds is what the garden says about its seeds.
type gardenOfSeeds struct {
	seeds         gardencorev1beta1.SeedList
	shoots        gardencorev1beta1.ShootList
	installations gardencorev1beta1.ControllerInstallationList
}

func listSeeds(ctx context.Context, garden client.Reader) (*gardenOfSeeds, error) {
	out := &gardenOfSeeds{}
	for _, list := range []client.ObjectList{&out.seeds, &out.shoots, &out.installations} {
		if err := garden.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list seeds with their shoots and extensions: %w", err)
		}
	}
	return out, nil
}

// summarize makes the summaries that "gardener seed list" and "gardener status" print.
func (g *gardenOfSeeds) summarize(first string, parts []component.Status) []seedStatus {
	all, shoots := []seedStatus{}, g.shoots.Items
	for i := range g.seeds.Items {
		seed := &g.seeds.Items[i]
		s := seedStatus{Name: seed.Name, Source: sourceOf(seed, first, parts), Kubernetes: ptr.Deref(seed.Status.KubernetesVersion, "")}
		s.Provider, s.Region, s.Created = seed.Spec.Provider.Type, seed.Spec.Provider.Region, seed.CreationTimestamp
		if seed.Status.Gardener != nil {
			s.Gardener = seed.Status.Gardener.Version
		}
		err := seeds.Ready(seed, g.installations.Items)
		if s.Ready = err == nil; s.Ready {
			err = seeds.BrokenExtensions(seed)
		}
		if err != nil {
			s.Message = err.Error()
		}
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
