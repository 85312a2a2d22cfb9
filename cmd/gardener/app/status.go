package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
)

// status is what "gardener status" prints.
type status struct {
	*daemon.Report
	StateDir   string        `json:"stateDir"`
	Kubeconfig string        `json:"kubeconfig"`
	Seeds      []seedStatus  `json:"seeds"`
	Shoots     []shootStatus `json:"shoots"`
	// Due is what somebody has to do, although everything serves.
	Due []due `json:"due,omitempty"`
	// Unknown says which of seeds and shoots are not listed, and why.
	Unknown string `json:"unknown,omitempty"`
	// Late names what else is not shown, because somebody has not answered in time.
	Late []string `json:"late,omitempty"`
	// shootsUnknown is true if the garden has not listed the shoots.
	shootsUnknown bool
}

// MarshalJSON writes durations as text. The daemon's own report has numbers of nanoseconds, which binaries of other versions read.
func (s *status) MarshalJSON() ([]byte, error) {
	type plain status // without this method
	parts := []shownPart{}
	for _, part := range s.Parts {
		parts = append(parts, shownPart{part, durationText(part.Took)})
	}
	return json.Marshal(struct {
		*plain
		ReadyAfter string      `json:"readyAfter,omitempty"`
		Parts      []shownPart `json:"parts"`
	}{(*plain)(s), durationText(s.ReadyAfter), parts})
}

// shownPart is a part as JSON and YAML show it.
type shownPart struct {
	component.Status
	Took string `json:"took,omitempty"`
}

// durationText is a duration such as 1m52.31s; empty for none.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.Round(10 * time.Millisecond).String()
}

func newStatus(global *globalFlags) *cobra.Command {
	var output string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "status",
		Example: `  gardener status
  gardener status -o json
  gardener status --timeout 2m`,
		GroupID: "landscape", Short: "Show the parts of the landscape, its seeds and shoots", Args: needsNone,
		Long: `Show the parts of the landscape, its seeds and shoots. The exit code is 3 if the landscape is not running, 1 if a part of it
does not serve now, and 9 if all serve but something needs attention, such as a storage that fills. MEMORY and CPU TIME of a shoot are
those of its control plane and its machines; memory that processes share counts for each of them. DUE lists
what does not disturb yet: rotations to complete, versions and certificates that end, fields that newer releases refuse.
On a busy machine answers take time: what did not come within --timeout is named, and everything else is shown. An interrupt shows what has come.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			s, err := collectStatus(cmd.Context(), l, timeout)
			if err != nil {
				return err
			}
			if err := global.display.printAs(cmd.OutOrStdout(), output, s, func() [][]string { return statusRows(s) }); err != nil {
				return err
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			return s.verdict(l.Name)
		},
	}
	addOutput(cmd, &output, "wide")
	addTimeoutOfAnswers(cmd, &timeout)
	return cmd
}

// verdict is the error by which a script learns how the landscape is.
func (s *status) verdict(landscape string) error {
	reasons := pending(s.Parts)
	if s.Unknown != "" {
		reasons = strings.TrimPrefix(reasons+"; "+s.Unknown, "; ")
	}
	hint := `see "gardener logs"`
	if s.Ready && s.Unknown != "" {
		hint = waitLonger
	}
	if !s.Ready || s.Unknown != "" {
		return &exitError{code: codeFailure, err: fault.New(fault.NotReady, fmt.Errorf("landscape %q is not ready: %s", landscape, reasons)), hint: hint}
	}
	if warnings := attention(s.Parts); len(warnings) > 0 {
		return &exitError{
			code: codeAttention, err: fmt.Errorf("landscape %q needs attention: %s", landscape, strings.Join(warnings, "; ")),
			hint: `do what the message says; "gardener status" shows when it is over`,
		}
	}
	return nil
}

// attention lists what parts warn of.
func attention(parts []component.Status) []string {
	var warnings []string
	for _, part := range parts {
		if part.Warning != "" {
			warnings = append(warnings, part.Name+": "+part.Warning)
		}
	}
	return warnings
}

// refusing lists what keeps parts from serving everything.
func refusing(parts []component.Status) []string {
	var reasons []string
	for _, part := range parts {
		if part.State == component.Degraded {
			reasons = append(reasons, part.Name+": "+part.Message)
		}
	}
	return reasons
}

// collectStatus asks everybody, for at most the given time.
func collectStatus(ctx context.Context, l *landscape, timeout time.Duration) (*status, error) {
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
	s := &status{Report: report, StateDir: l.paths.Root(), Kubeconfig: l.paths.Kubeconfig(gardenKubeconfig), Seeds: []seedStatus{}, Shoots: []shootStatus{}}
	if report.ReadyAfter == 0 {
		return s, nil
	}
	in, err := l.askSeeds(ctx, timeout)
	if err != nil {
		s.Unknown, s.shootsUnknown = "seeds and shoots cannot be listed: "+err.Error(), true
		return s, nil
	}
	s.add(in, l.Seed.Name)
	s.addUse(ctx, l, in, min(timeout, usageTimeout))
	s.addDue(ctx, l, in, timeout)
	for i := range s.Due {
		s.Due[i].What = l.display.named(s.Due[i].What)
	}
	return s, nil
}

// add adds what the garden has said about seeds and shoots.
func (s *status) add(in *gardenOfSeeds, first string) {
	s.Seeds = in.summarize(first, s.Parts)
	for i := range in.shoots.Items {
		s.Shoots = append(s.Shoots, statusOf(&in.shoots.Items[i]))
	}
	s.shootsUnknown = in.unread[kindShoots] != nil
	if err := in.missing(); err != nil {
		s.Unknown = err.Error()
	}
}

func (s *status) addDue(ctx context.Context, l *landscape, in *gardenOfSeeds, timeout time.Duration) {
	config, err := l.gardenConfig(ctx, timeout)
	if err == nil {
		s.Due, err = dueOf(ctx, config, in, time.Now())
	}
	if err = late(err, timeout); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		s.Late = append(s.Late, fmt.Sprintf("what is due: %v", err))
	} else if err != nil {
		s.Due = append(s.Due, due{"landscape " + l.Name, "not everything that is due can be found: " + err.Error()})
	}
}

// askReport asks the daemon for its report, for at most the given time.
func askReport(ctx context.Context, control *daemon.Client, timeout time.Duration) (*daemon.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	report, err := control.Report(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &exitError{
			code: codeFailure, err: fault.New(fault.Hangs, fmt.Errorf("the process of the landscape does not answer within %s", timeout)),
			hint: `try again if the machine is busy; "gardener down --force" ends the landscape whatever condition it is in, and what is stored survives`,
		}
	}
	if err != nil {
		return nil, &exitError{code: codeFailure, err: fmt.Errorf("ask the landscape: %w", err), hint: `it may be starting or stopping: try again, then see "gardener logs"`}
	}
	return report, nil
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
	if s.Containers != "" {
		rows = append(rows, []string{"containers", s.Containers})
	}
	rows = append(rows, nil, []string{"PART", "STATE", "READY AFTER", "RESTARTS", "MESSAGE"})
	for _, p := range s.Parts {
		rows = append(rows, []string{p.Name, tinted(tintOfPart(p), string(p.State)), p.Took.Round(10 * time.Millisecond).String(), fmt.Sprint(p.Restarts), messageOf(p)})
	}
	rows = append(rows, nil)
	if len(s.Seeds) > 0 {
		rows = append(append(rows, seedRows(s.Seeds)...), nil)
	}
	rows = append(rows, shootRows(s)...)
	if s.Unknown != "" {
		rows = append(rows, []string{s.Unknown})
	}
	rows = append(rows, dueRows(s.Due)...)
	return append(rows, lateRows(s.Late)...)
}

// shootRows are the rows of the shoots; none if they are unknown.
func shootRows(s *status) [][]string {
	switch {
	case s.shootsUnknown:
		return nil
	case len(s.Shoots) == 0:
		return [][]string{{"no shoots"}}
	}
	rows := [][]string{{"SHOOT", "KUBERNETES", "OPERATION", "MEMORY", "CPU TIME", "CONDITIONS"}}
	for _, shoot := range s.Shoots {
		memory, cpu := shoot.Use.columns()
		rows = append(rows, []string{shoot.Namespace + "/" + shoot.Name, shoot.Kubernetes, tinted(tintOfOperation(shoot), shoot.Operation), memory, cpu, tinted(tintOfShoot(shoot), conditionsText(shoot))})
	}
	return rows
}

func lateRows(all []string) [][]string {
	if len(all) == 0 {
		return nil
	}
	rows := [][]string{nil, {"LATE"}}
	for _, one := range all {
		rows = append(rows, []string{tinted(yellow, one)})
	}
	return rows
}

func messageOf(part component.Status) string {
	if part.Warning != "" {
		return "warning: " + part.Warning
	}
	return part.Message
}

func conditionsText(s shootStatus) string {
	switch {
	case s.Asleep:
		return "asleep, wake it up with: " + wakeUp(s.Namespace, s.Name)
	case len(s.NotTrue) > 0:
		return "not true: " + strings.Join(s.NotTrue, ", ")
	case s.Ready:
		return "all true"
	}
	return ""
}
