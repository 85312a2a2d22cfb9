package component

import (
	"context"
	"errors"
	"fmt"
)

// ErrUnknownPart and ErrFixedPart tell why a part cannot be stopped or started alone.
var (
	ErrUnknownPart = errors.New("there is no such part")
	ErrFixedPart   = errors.New("the part cannot be stopped without the others")
)

// stoppedByOrder is the message of parts that somebody stopped.
const stoppedByOrder = "stopped on request"

// order stops or starts one part while the others go on.
type order struct {
	stop bool
	done chan<- error // has room for the one answer
}

// StopPart ends one part that may be restarted and keeps it so until StartPart; the end of the supervisor forgets that.
// It returns when the part has ended. A part that is still starting is waited for; ctx bounds that.
func (s *Supervisor) StopPart(ctx context.Context, name string) error {
	return s.order(ctx, name, true)
}

// StartPart starts a part again that StopPart has ended, without waiting until it is ready. It does nothing else.
func (s *Supervisor) StartPart(ctx context.Context, name string) error {
	return s.order(ctx, name, false)
}

func (s *Supervisor) order(ctx context.Context, name string, stop bool) error {
	for _, p := range s.parts {
		if p.Name() != name {
			continue
		}
		if !p.Restart {
			return fmt.Errorf("%q: %w", name, ErrFixedPart)
		}
		done := make(chan error, 1)
		select {
		case s.orders[name] <- order{stop: stop, done: done}:
			return <-done
		case <-ctx.Done():
			return fmt.Errorf("part %q does not listen: %w", name, ctx.Err())
		}
	}
	return fmt.Errorf("%q: %w", name, ErrUnknownPart)
}

// watch returns when a part that serves has ended: by an order, or by itself with the reason.
func (s *Supervisor) watch(ctx context.Context, p Part) (ordered bool, _ error) {
	for {
		select {
		case <-p.Done():
			return false, s.reasonOfEnd(ctx, p)
		case <-ctx.Done():
			return false, nil
		case o := <-s.orders[p.Name()]:
			if !o.stop { // it runs
				o.done <- nil
				continue
			}
			stopCtx, cancel := context.WithTimeout(ctx, p.stopTimeout())
			s.set(p, func(st *Status) { st.State = Stopping })
			err := p.Stop(stopCtx)
			cancel()
			s.stopped(p)
			o.done <- err
			return true, nil
		}
	}
}

func (s *Supervisor) stopped(p Part) {
	s.set(p, func(st *Status) { st.State, st.Message = Stopped, stoppedByOrder })
}

// awaitStart returns true when the part is to start again, and false when ctx ends.
func (s *Supervisor) awaitStart(ctx context.Context, p Part) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case o := <-s.orders[p.Name()]:
			if o.done <- nil; !o.stop {
				return true
			}
		}
	}
}
