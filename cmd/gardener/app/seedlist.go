package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	// Unknown names what the garden has not told in time: how many shoots the seed has, or how its extensions are.
	Unknown []string `json:"unknown,omitempty"`
}

func newSeedList(global *globalFlags) *cobra.Command {
	var output string
	var watch bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"},
		Example: `  gardener seed list
  gardener seed list -o wide
  gardener seed list --watch`,
		Short: "List the seeds", Args: needsNone,
		Long: `List the seeds. On a busy machine answers take time: what did not come within --timeout is shown as "?", and the exit code is 5.`,
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
					collect: func(ctx context.Context) ([]seedStatus, error) {
						seeds, err := collectSeeds(ctx, l, timeout)
						if len(seeds) > 0 && errors.Is(err, context.DeadlineExceeded) {
							return seeds, nil
						}
						return seeds, err
					},
					rows: func(seeds []seedStatus) [][]string { return seedsAs(output, seeds) },
				}.follow(cmd.Context(), cmd.OutOrStdout(), tick)
			}
			seeds, unknown := collectSeeds(cmd.Context(), l, timeout)
			if unknown != nil && len(seeds) == 0 {
				return unknown
			}
			if err := l.display.printAs(cmd.OutOrStdout(), output, seeds, func() [][]string { return seedsAs(output, seeds) }); err != nil {
				return err
			}
			return unknown
		},
	}
	addOutput(cmd, &output, "wide", "name")
	addWatch(cmd, &watch)
	addTimeoutOfAnswers(cmd, &timeout)
	return cmd
}

func seedRows(seeds []seedStatus) [][]string {
	rows := [][]string{{"SEED", "SOURCE", "KUBERNETES", "SHOOTS", "READY", "MESSAGE"}}
	for _, s := range seeds {
		rows = append(rows, []string{s.Name, s.Source, s.Kubernetes, s.shown(kindShoots, fmt.Sprint(s.Shoots)), tinted(tintOfSeed(s), s.shown(kindExtensions, fmt.Sprint(s.Ready))), s.Message})
	}
	return rows
}

// shown is the text, or a question mark if it depends on something that is unknown.
func (s *seedStatus) shown(of, text string) string {
	if s.knows(of) {
		return text
	}
	return "?"
}

func (s *seedStatus) knows(kind string) bool { return !slices.Contains(s.Unknown, kind) }

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

// collectSeeds lists the seeds, for at most the given time. It returns them with an error if something about them is unknown.
func collectSeeds(ctx context.Context, l *landscape, timeout time.Duration) ([]seedStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	control, err := l.running()
	if err != nil {
		return nil, err
	}
	report, err := askReport(ctx, control, timeout)
	if err != nil {
		return nil, err
	}
	in, err := l.askSeeds(ctx, timeout)
	if err != nil {
		return nil, err
	}
	return in.summarize(l.Seed.Name, report.Parts), in.missing()
}

// Kinds of objects that describe seeds.
const (
	kindSeeds      = "seeds"
	kindShoots     = "shoots"
	kindExtensions = "extensions of seeds"
)

// gardenOfSeeds is what the garden says about its seeds.
type gardenOfSeeds struct {
	seeds         gardencorev1beta1.SeedList
	shoots        gardencorev1beta1.ShootList
	installations gardencorev1beta1.ControllerInstallationList
	// unread has the error of each kind that the garden has not listed.
	unread map[string]error
}

// askSeeds asks the garden about its seeds, for at most the given time.
func (l *landscape) askSeeds(ctx context.Context, timeout time.Duration) (*gardenOfSeeds, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	garden, err := l.gardenWithin(ctx, timeout)
	if err != nil {
		return nil, timedOut(late(err, timeout))
	}
	return listSeeds(ctx, garden, timeout), nil
}

// listSeeds asks for all kinds at the same time, since a server that is busy is slow with each of them. timeout is the time that ctx gives.
func listSeeds(ctx context.Context, garden client.Reader, timeout time.Duration) *gardenOfSeeds {
	out := &gardenOfSeeds{unread: map[string]error{}}
	var asking sync.WaitGroup
	var mu sync.Mutex
	for kind, list := range map[string]client.ObjectList{kindSeeds: &out.seeds, kindShoots: &out.shoots, kindExtensions: &out.installations} {
		asking.Go(func() {
			if err := garden.List(ctx, list); err != nil {
				mu.Lock()
				defer mu.Unlock()
				out.unread[kind] = late(err, timeout)
			}
		})
	}
	asking.Wait()
	return out
}

// missing is the error about all kinds that the garden has not listed; nil if it has listed all of them.
func (g *gardenOfSeeds) missing() error {
	kinds := map[string][]string{} // by the reason
	var failed []error
	for _, kind := range []string{kindSeeds, kindShoots, kindExtensions} {
		if g.unread[kind] == nil {
			continue
		}
		reason := g.unread[kind].Error()
		if kinds[reason] = append(kinds[reason], kind); len(kinds[reason]) == 1 {
			failed = append(failed, g.unread[kind])
		}
	}
	if len(failed) == 0 {
		return nil
	}
	var texts []string
	for _, err := range failed {
		texts = append(texts, strings.Join(kinds[err.Error()], ", ")+" cannot be listed: "+err.Error())
	}
	return timedOut(&unlisted{text: strings.Join(texts, "; "), errs: failed})
}

// timedOut gives the error of an answer that is late its exit code and its hint.
func timedOut(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &exitError{code: codeTimeout, err: err, hint: waitLonger}
	}
	return err
}

// unlisted is the error about lists that did not come.
type unlisted struct {
	text string
	errs []error
}

func (e *unlisted) Error() string   { return e.text }
func (e *unlisted) Unwrap() []error { return e.errs }

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
		for _, kind := range []string{kindExtensions, kindShoots} { // a seed that is ready without extensions is ready
			if g.unread[kind] != nil && (kind != kindExtensions || !s.Ready) {
				s.Unknown = append(s.Unknown, kind)
			}
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
		seeds, err := collectSeeds(ctx, l, completionTimeout)
		if len(seeds) == 0 {
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
