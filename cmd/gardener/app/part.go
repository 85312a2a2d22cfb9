package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// partTimeout bounds stopping one part.
const partTimeout = 30 * time.Second

func newPart(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "part", GroupID: "parts", Short: "Stop or start one part of the running landscape",
		Long: `Stop or start one part of the running landscape while all other parts keep running, to see what depends on it.
"gardener status" lists the parts. Only parts that run controllers can be stopped alone. The next "gardener up" starts all of them.`,
	}
	asGroup(cmd)
	cmd.AddCommand(
		newPartOrder(global, "stop", "Stop a part until it is started again", (*daemon.Client).StopPart),
		newPartOrder(global, "start", "Start a part that was stopped", (*daemon.Client).StartPart),
	)
	return cmd
}

func newPartOrder(global *globalFlags, verb, short string, order func(*daemon.Client, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " NAME", ValidArgsFunction: completeParts(global), Example: "  gardener part " + verb + " gardener-scheduler", Short: short, Args: needs("the name of the part"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			control, err := l.running()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), partTimeout)
			defer cancel()
			err = order(control, ctx, args[0])
			if errors.Is(err, component.ErrUnknownPart) {
				return &exitError{code: codeNotFound, err: err, hint: `see "gardener status"`}
			}
			if err != nil {
				return cured(fmt.Errorf("landscape %q: %w", l.Name, err), `see how it is with "gardener status"; only parts that run controllers can be stopped alone`)
			}
			return nil
		},
	}
}

// completeParts completes the names of the parts of a running landscape.
func completeParts(global *globalFlags) cobra.CompletionFunc {
	return completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
		control, err := l.running()
		if err != nil {
			return nil, err
		}
		report, err := askReport(ctx, control)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, part := range report.Parts {
			names = append(names, part.Name)
		}
		return names, nil
	})
}
