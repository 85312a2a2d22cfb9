package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/remove"
)

func newBootstrapRemove(global *globalFlags, runtime *runtimeFlags) *cobra.Command {
	var yes bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "remove", Short: "Remove the garden from a cluster of your own, with all its data", Args: needsNone,
		Long: `Remove the garden from a cluster of your own, with all its data, and then what "gardener bootstrap" has installed. Nothing of it is left. The same command goes on after an
interruption. A cluster that hosts control planes of shoots is left as it is: delete the shoots and the seed first.`,
		Example: `  gardener bootstrap remove --kubeconfig runtime.yaml --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := runtime.open()
			if err != nil {
				return err
			}
			if err := confirm(cmd, yes, "this removes the garden of "+c.Config.Host+" with all its data"); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			show, begin := newLive(global.display, os.Stdout), time.Now()
			defer show.clear()
			if err := remove.All(ctx, remove.Inputs{Client: c.Client, Tell: show.draw}); err != nil {
				return removalEnded(ctx, timeout, err)
			}
			show.clear()
			took := time.Since(begin)
			global.display.tell(cmd.OutOrStdout(), event{Object: "garden", State: "gone", Seconds: seconds(took)}, fmt.Sprintf("the garden is gone after %.1f s\n", took.Seconds()))
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().DurationVar(&timeout, "timeout", 15*time.Minute, "how long to wait until everything is gone")
	return cmd
}

// removalEnded gives errors of a removal that did not come to its end their exit codes and hints.
func removalEnded(ctx context.Context, timeout time.Duration, err error) error {
	const again = "the same command goes on where it stopped"
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &exitError{code: codeTimeout, err: fmt.Errorf("the garden is not gone after %s: %w", timeout, err), hint: again + "; the log of the operator tells more: kubectl -n garden logs deployment/gardener-operator"}
	case ctx.Err() != nil:
		return &exitError{code: codeInterrupted, err: ctx.Err(), hint: again}
	case errors.Is(err, remove.ErrSeeds):
		return cured(err, "do what the message says; "+again)
	case errors.Is(err, remove.ErrForeign):
		return cured(err, "look at the kubeconfig and its context; nothing was changed")
	case errors.Is(err, remove.ErrHosts):
		return cured(err, "delete the shoots, then the seed; nothing was changed")
	}
	return cured(err, "correct what the message names; "+again)
}

// hostOf is the name of a server in a URL.
func hostOf(server string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}
