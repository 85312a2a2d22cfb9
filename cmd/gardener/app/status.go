package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// status is what "gardener status" prints.
type status struct {
	*daemon.Report
	StateDir   string        `json:"stateDir"`
	Kubeconfig string        `json:"kubeconfig"`
	Seeds      []seedStatus  `json:"seeds"`
	Shoots     []shootStatus `json:"shoots"`
}

func newStatus(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "status", GroupID: "landscape", Short: "Show the parts of the landscape, its seeds and shoots", Args: cobra.NoArgs,
		Long: "Show the parts of the landscape, its seeds and shoots. The exit code is 3 if the landscape is not running and 1 if it is not ready.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			s, err := collectStatus(cmd.Context(), l)
			if err != nil {
				return err
			}
			if err := printAs(cmd.OutOrStdout(), output, s, func() [][]string { return statusRows(s) }); err != nil {
				return err
			}
			if !s.Ready {
				return &exitError{code: codeFailure, err: fmt.Errorf("landscape %q is not ready: %s", l.Name, pending(s.Parts)), hint: `see "gardener logs"`}
			}
			return nil
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func collectStatus(ctx context.Context, l *landscape) (*status, error) {
	control, err := l.running()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	report, err := control.Report(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the landscape: %w", err)
	}
	s := &status{Report: report, StateDir: l.paths.Root(), Kubeconfig: l.paths.Kubeconfig(gardenKubeconfig), Seeds: []seedStatus{}, Shoots: []shootStatus{}}
	if !report.Ready {
		return s, nil
	}
	garden, err := l.garden(ctx)
	if err != nil {
		return nil, err
	}
	seeds, shoots, err := listSeeds(ctx, garden)
	if err != nil {
		return nil, err
	}
	s.Seeds = summarize(seeds.Items, shoots.Items, l.Seed.Name, report.Parts)
	for i := range shoots.Items {
		s.Shoots = append(s.Shoots, statusOf(&shoots.Items[i]))
	}
	return s, nil
}

func statusRows(s *status) [][]string {
	rows := [][]string{
		{"landscape", s.Landscape}, {"process", fmt.Sprint(s.PID)}, {"version", s.Version},
		{"running for", time.Since(s.Started).Round(time.Second).String()}, {"front door", s.FrontDoor},
	}
	for _, handler := range slices.Sorted(maps.Keys(s.HandlerFrontDoors)) {
		rows = append(rows, []string{"front door " + handler, s.HandlerFrontDoors[handler]})
	}
	rows = append(rows, []string{"name server", s.NameServer}, []string{"state", s.StateDir}, []string{"kubeconfig", s.Kubeconfig})
	if s.Engine != "" {
		rows = append(rows, []string{"container engine", s.Engine})
	}
	rows = append(rows, nil, []string{"PART", "STATE", "READY AFTER", "RESTARTS", "MESSAGE"})
	for _, p := range s.Parts {
		rows = append(rows, []string{p.Name, string(p.State), p.Took.Round(10 * time.Millisecond).String(), fmt.Sprint(p.Restarts), p.Message})
	}
	rows = append(rows, nil)
	if len(s.Seeds) > 0 {
		rows = append(append(rows, seedRows(s.Seeds)...), nil)
	}
	if len(s.Shoots) == 0 {
		return append(rows, []string{"no shoots"})
	}
	rows = append(rows, []string{"SHOOT", "KUBERNETES", "OPERATION", "CONDITIONS"})
	for _, shoot := range s.Shoots {
		rows = append(rows, []string{shoot.Namespace + "/" + shoot.Name, shoot.Kubernetes, shoot.Operation, conditionsText(shoot)})
	}
	return rows
}

func conditionsText(s shootStatus) string {
	switch {
	case len(s.NotTrue) > 0:
		return "not true: " + strings.Join(s.NotTrue, ", ")
	case s.Ready:
		return "all true"
	}
	return ""
}
