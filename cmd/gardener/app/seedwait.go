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
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// seedWait waits until a seed is ready or gone.
type seedWait struct {
	name      string
	timeout   time.Duration
	untilGone bool
}

// follow prints the progress of the seed.
func (s seedWait) follow(cmd *cobra.Command, l *landscape, control *daemon.Client) error {
	name, untilGone := s.name, s.untilGone
	garden, err := l.garden(cmd.Context())
	if cmd.Context().Err() != nil {
		return s.ended(cmd.Context(), "")
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), s.timeout)
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
			return s.ended(ctx, doing)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// ended is the error when nothing more is waited for.
func (s seedWait) ended(ctx context.Context, doing string) error {
	hint := "the landscape goes on with it; see it with: gardener seed list --watch"
	if !s.untilGone {
		hint += "; undo it with: gardener seed remove " + s.name
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &exitError{code: codeTimeout, err: fmt.Errorf("seed %s %s after %s: %s", s.name, notYet(s.goal()), s.timeout, doing), hint: hint}
	}
	return &exitError{code: codeInterrupted, err: ctx.Err(), hint: hint}
}

// goal is what is waited for.
func (s seedWait) goal() string {
	if s.untilGone {
		return "is gone"
	}
	return "is ready"
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
