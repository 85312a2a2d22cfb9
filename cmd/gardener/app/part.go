package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// partTimeout bounds stopping one part. An etcd takes longest.
const partTimeout = 45 * time.Second

func newPart(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "part", GroupID: "parts", Short: "Stop or start one part of the running landscape",
		Long: `Stop or start one part of the running landscape while all other parts keep running, to see what depends on it.
"gardener status" lists the parts. "stop" names the parts that cannot do their work meanwhile: they are degraded, or end and are started again
until the part is back. The next "gardener up" starts all of them.`,
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
				return cured(fmt.Errorf("landscape %q: %w", l.Name, err), `see how it is with "gardener status"`)
			}
			if verb == "stop" {
				warnOfStop(ctx, control, args[0], func(text string) { global.display.warn(cmd.ErrOrStderr(), text) })
			}
			said := map[string]string{"stop": "is stopped", "start": "starts"}[verb]
			global.display.tell(cmd.OutOrStdout(), event{Object: "part " + args[0], State: said}, fmt.Sprintf("part %q %s\n", args[0], said))
			return nil
		},
	}
}

// warnOfStop says which parts need the one that was stopped. The order has succeeded, so a report that fails now is no error.
func warnOfStop(ctx context.Context, control *daemon.Client, part string, warn func(string)) {
	report, err := askReport(ctx, control, answersTimeout)
	if err != nil {
		return
	}
	warnOf(warn, report.Parts, part)
}

// warnOf says what else the stop of a part means.
func warnOf(warn func(string), parts []component.Status, part string) {
	for _, p := range parts {
		if p.Name != part {
			continue
		}
		if p.Once { // what needs it goes on
			warn(fmt.Sprintf("part %q only does something when it starts; what it did then stays", part))
		} else if p.NeededBy != "" {
			warn(fmt.Sprintf("until \"gardener part start %s\", these parts cannot do all their work: %s", part, strings.ReplaceAll(p.NeededBy, ",", ", ")))
		}
	}
}

// completeParts completes the names of the parts of a running landscape.
func completeParts(global *globalFlags) cobra.CompletionFunc {
	return completeFirst(global, func(ctx context.Context, l *landscape) ([]string, error) {
		control, err := l.running()
		if err != nil {
			return nil, err
		}
		report, err := askReport(ctx, control, completionTimeout)
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
