package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
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
	// reached is asked each time the shoot was read. shoot is nil if it does not exist. The text says what is still missing.
	reached func(ctx context.Context, shoot *gardencorev1beta1.Shoot) (reached bool, missing string, err error)
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
	var silence outage
	for {
		shoot := &gardencorev1beta1.Shoot{}
		err := garden.Get(ctx, s.key, shoot)
		if apierrors.IsNotFound(err) {
			shoot, err = nil, nil
		}
		if silence.ends(err, time.Now()) && ctx.Err() == nil {
			return fmt.Errorf("read shoot %s: %w", s.key, err)
		}
		if err == nil {
			reached, missing, err := s.until.reached(ctx, shoot)
			if err != nil && ctx.Err() == nil {
				return err
			}
			if reached {
				show.live.clear()
				took := time.Since(begin)
				s.display.tell(cmd.OutOrStdout(), event{Object: show.object, State: strings.TrimPrefix(s.until.name, "is "), Seconds: seconds(took)},
					fmt.Sprintf("shoot %s %s after %.1f s\n", s.key, s.until.name, took.Seconds()))
				return nil
			}
			if shoot != nil {
				last = statusOf(shoot)
			}
			if missing != "" {
				last.Ready, last.Doing = false, missing
			}
			show.show(last)
		}
		select {
		case <-ctx.Done():
			return s.ended(ctx, last)
		case <-time.After(followInterval):
		}
	}
}

// ended is the error when nothing more is waited for.
func (s shootWatch) ended(ctx context.Context, last shootStatus) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &exitError{code: codeInterrupted, err: ctx.Err(), hint: fmt.Sprintf("the garden goes on with it; follow it with: gardener shoot wait %s", s.key)}
	}
	text := fmt.Sprintf("shoot %s after %s: %s", s.key, s.timeout, last.Operation)
	for _, more := range append([]string{last.Doing}, last.Errors...) {
		if more != "" {
			text += ": " + strings.TrimSpace(more)
		}
	}
	return &exitError{code: codeTimeout, err: errors.New(text), hint: fmt.Sprintf("gardener shoot describe %s", s.key)}
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
	line, text := s.Operation+"  "+s.Doing, ""
	if p.live.width == nil {
		text = "  " + line + "\n"
	}
	for _, e := range s.Errors {
		text += "    " + e + "\n"
	}
	if text != p.printed {
		p.live.clear()
		p.live.display.tell(p.w, event{Object: p.object, State: s.Operation, Message: s.Doing, Errors: s.Errors}, text)
		p.printed = text
	}
	p.live.draw(line)
}
