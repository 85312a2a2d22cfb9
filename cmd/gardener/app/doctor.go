package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/preflight"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func newDoctor(global *globalFlags) *cobra.Command {
	flags := &upFlags{}
	var output string
	cmd := &cobra.Command{
		Use: "doctor",
		Example: `  gardener doctor
  gardener doctor --provider kind`,
		GroupID: "landscape", Args: needsNone,
		Short: "Check this machine and suggest fixes",
		Long: `Check whether this machine can run the landscape, and suggest a fix for each problem.
"gardener up" runs the same checks before it changes anything. A missing node image is pulled. Of a landscape that exists, certificates with their
ends, ports, the disk and files and processes that it has not noted are looked at, too, whether it runs or not.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.loadAgain(flags.override(cmd))
			if err != nil {
				return err
			}
			defer l.release()
			findings := append(preflight.Examine(cmd.Context(), l.Landscape, l.paths), preflight.ExamineLandscape(l.paths, servers.FrontDoor, time.Now())...)
			findings = global.display.namedFindings(findings)
			err = global.display.printAs(cmd.OutOrStdout(), uncut(output), findings, func() [][]string { return findingRows(findings) })
			if err != nil {
				return err
			}
			for _, f := range findings {
				if f.State == doctor.Problem {
					return &exitError{code: codeFailure, err: fault.New(fault.Machine, errors.New("this machine cannot run the landscape as it is")), hint: "the table lists a fix for each problem"}
				}
			}
			return nil
		},
	}
	global.addFile(cmd)
	flags.add(cmd)
	_ = cmd.Flags().MarkHidden("timeout")
	addOutput(cmd, &output)
	return cmd
}

// namedFindings are findings whose commands act on the landscape that the flags have chosen, also for programs.
func (d *display) namedFindings(findings []doctor.Finding) []doctor.Finding {
	all := slices.Clone(findings)
	for i := range all {
		all[i].Message, all[i].Cure = d.named(all[i].Message), d.named(all[i].Cure)
	}
	return all
}

func findingRows(findings []doctor.Finding) [][]string {
	rows := [][]string{{"CHECK", "STATE", "MESSAGE"}}
	for _, f := range findings {
		rows = append(rows, []string{f.Check, tinted(tintOfFinding(f), string(f.State)), withID(f.Message, fault.ID(f.ID))})
		if f.Cure != "" {
			rows = append(rows, []string{"", "", "→ " + f.Cure})
		}
	}
	return rows
}

// examineEngine checks the container engine before a start. Problems are errors, warnings are printed to w. It
// returns the chosen engine.
func examineEngine(ctx context.Context, l *landscape, w io.Writer) (chosen string, err error) {
	findings := preflight.ExamineEngine(ctx, l.Landscape, l.paths)
	if err := doctor.Error(findings); err != nil {
		return "", &exitError{code: codeFailure, err: fault.New(fault.Engine, err), hint: `see "gardener doctor --provider kind"`}
	}
	warn(w, l.display, findings)
	return findings[0].Message, nil
}

// warn prints what a landscape can start without.
func warn(w io.Writer, shown *display, findings []doctor.Finding) {
	for _, f := range findings {
		if f.State == doctor.Warning {
			shown.warn(w, fmt.Sprintf("%s: %s (%s)", f.Check, f.Message, f.Cure))
		}
	}
}
