package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	followTimeout  = 10 * time.Minute
	followInterval = 200 * time.Millisecond
)

// shootWatch shows the progress of a shoot until it is what the user waits for.
type shootWatch struct {
	key     types.NamespacedName
	timeout time.Duration
	until   goal
	display *display
}

// goal is what a user waits for.
type goal struct {
	name string // as in "is ready"
	look string // the command that follows the work after an interrupt; empty for that which waits until a shoot is usable
	// reached is asked each time the shoot was read. shoot is nil if it does not exist. The text says what is still missing.
	reached func(ctx context.Context, shoot *gardencorev1beta1.Shoot) (reached bool, missing string, err error)
}

// follow is the command that follows the work.
func (g goal) follow(key types.NamespacedName) string {
	return cmp.Or(g.look, "gardener shoot wait "+key.String())
}

// run prints the progress. It ends with an error if the goal cannot be reached any more, after the timeout, and when it is
// interrupted.
func (s shootWatch) run(cmd *cobra.Command, garden client.Reader) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), s.timeout)
	defer cancel()
	show := &shootProgress{w: cmd.ErrOrStderr(), live: newLive(s.display, cmd.ErrOrStderr()), object: "shoot " + s.key.String()}
	defer show.live.clear()
	begin := time.Now()
	var last shootStatus
	var waited bool
	var silence outage
	var unread error // of the last look
	for {
		shoot := &gardencorev1beta1.Shoot{}
		err := garden.Get(ctx, s.key, shoot)
		if apierrors.IsNotFound(err) {
			shoot, err = nil, nil
		}
		if silence.ends(err, time.Now()) && ctx.Err() == nil {
			return fmt.Errorf("read shoot %s: %w", s.key, err)
		}
		unread = err
		if err == nil {
			reached, missing, err := s.until.reached(ctx, shoot)
			if err != nil {
				return err
			}
			if reached {
				if shoot != nil && waited { // the end of what was shown
					show.show(statusOf(shoot))
				}
				show.live.clear()
				took := time.Since(begin)
				s.display.tell(cmd.OutOrStdout(), event{Object: show.object, State: strings.TrimPrefix(s.until.name, "is "), Seconds: seconds(took)},
					fmt.Sprintf("shoot %s %s after %.1f s\n", s.key, s.until.name, took.Seconds()))
				return nil
			}
			if err := givenUp(shoot); err != nil {
				return err
			}
			if shoot != nil {
				last = statusOf(shoot)
			}
			if missing != "" {
				last.Ready, last.Doing = false, missing
			}
			show.show(last)
			waited = shoot != nil
		}
		select {
		case <-ctx.Done():
			return s.ended(ctx, last, unread)
		case <-time.After(followInterval):
		}
	}
}

// notYet is the contrary of the name of a goal, such as "is not ready".
func notYet(name string) string {
	if what, found := strings.CutPrefix(name, "is "); found {
		return "is not " + what
	}
	return "does not " + strings.TrimSuffix(name, "s") // sleeps
}

// givenUp is the error of a shoot whose operation the gardenlet does not try again; nil if it does, and if another operation is to come.
func givenUp(shoot *gardencorev1beta1.Shoot) error {
	if shoot == nil {
		return nil
	}
	last := shoot.Status.LastOperation
	switch {
	case last == nil || last.State != gardencorev1beta1.LastOperationStateFailed:
		return nil
	case shoot.Annotations[constants.GardenerOperation] != "" || shoot.Status.ObservedGeneration != shoot.Generation:
		return nil
	case shoot.DeletionTimestamp != nil && last.Type != gardencorev1beta1.LastOperationTypeDelete:
		return nil
	}
	key := types.NamespacedName{Namespace: shoot.Namespace, Name: shoot.Name}
	return &exitError{code: codeFailure, err: fmt.Errorf("shoot %s: %s", key, statusOf(shoot).reason()), hint: fmt.Sprintf("cure the reason, then: gardener shoot retry %s", key)}
}

// reason says in one line how the last operation is and why.
func (s shootStatus) reason() string {
	text := s.Operation
	for _, more := range append([]string{s.Doing}, s.furtherErrors()...) {
		if more != "" {
			text += ": " + strings.TrimSpace(more)
		}
	}
	return text
}

// furtherErrors are those that the description of the current work does not repeat.
func (s shootStatus) furtherErrors() []string {
	return slices.DeleteFunc(slices.Clone(s.Errors), func(e string) bool { return strings.Contains(s.Doing, e) })
}

// ended is the error when nothing more is waited for. unread is that of the last look at the shoot.
func (s shootWatch) ended(ctx context.Context, last shootStatus, unread error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &exitError{code: codeInterrupted, err: ctx.Err(), hint: "the garden goes on with it; follow it with: " + s.until.follow(s.key)}
	}
	reason := last.reason()
	if unread != nil && last.Operation == "" {
		reason = fmt.Sprintf("the garden has not answered: %v", unread)
	}
	return &exitError{code: codeTimeout, err: fmt.Errorf("shoot %s %s after %s: %s", s.key, notYet(s.until.name), s.timeout, reason),
		hint: fmt.Sprintf("the garden goes on with it; see how it is with: gardener shoot describe %s", s.key)}
}

// shootProgress shows the progress of a shoot: live on a terminal, otherwise one plain line per change. Errors are
// always printed.
type shootProgress struct {
	w       io.Writer
	live    *live
	object  string // for programs
	printed string
}

func (p *shootProgress) show(s shootStatus) {
	line, text, errs := oneLine(s.Operation+"  "+s.Doing), "", s.Errors
	if p.live.width == nil {
		text, errs = "  "+line+"\n", s.furtherErrors()
	}
	for _, e := range errs {
		text += "    " + oneLine(e) + "\n"
	}
	if text != p.printed {
		p.live.clear()
		p.live.display.tell(p.w, event{Object: p.object, State: s.Operation, Message: s.Doing, Errors: s.Errors}, text)
		p.printed = text
	}
	p.live.draw(line)
}
