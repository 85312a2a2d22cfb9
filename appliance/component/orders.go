package component

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrUnknownPart and ErrFixedPart say why a part cannot be stopped or started alone.
var (
	ErrUnknownPart = errors.New("there is no such part")
	ErrFixedPart   = errors.New("the part cannot be stopped without the others")
)

// stoppedByOrder is the status message of a part that a user has stopped.
const stoppedByOrder = "stopped on request"

// StopPart ends one part that is not fixed and keeps it stopped until StartPart. Parts that need it go on, and are degraded or end and are
// started again until it is back. The supervisor does not keep this over its own end. StopPart returns when the part has ended. It waits for a part that is
// still starting, until ctx ends.
func (s *Supervisor) StopPart(ctx context.Context, name string) error {
	return s.order(ctx, name, true)
}

// StartPart starts a part that StopPart has ended and does not wait until the part is ready. It does nothing for a part that
// runs.
func (s *Supervisor) StartPart(ctx context.Context, name string) error {
	return s.order(ctx, name, false)
}

func (s *Supervisor) order(ctx context.Context, name string, stop bool) error {
	for _, p := range s.parts {
		if p.Name() != name {
			continue
		}
		if p.Fixed != "" {
			return fmt.Errorf("%q: %w: %s", name, ErrFixedPart, p.Fixed)
		}
		done := make(chan error, 1)
		select {
		case s.orders[name] <- order{stop: stop, done: done}:
			return <-done
		case <-ctx.Done():
			return fmt.Errorf("part %q did not accept the order: %w", name, ctx.Err())
		}
	}
	return fmt.Errorf("%q: %w", name, ErrUnknownPart)
}

// watch returns when a serving part has ended. The part was stopped by an order, or the error says why it ended by itself. Until
// then the state of the part is kept true.
func (s *Supervisor) watch(ctx context.Context, p Part) (ordered bool, _ error) {
	attending, end := context.WithCancel(ctx)
	var attended sync.WaitGroup
	attended.Go(func() { s.attend(attending, p) })
	leave := func() { end(); attended.Wait() } // before the state changes for another reason
	defer leave()
	for {
		select {
		case <-p.Done():
			return false, s.reasonOfEnd(ctx, p)
		case <-ctx.Done():
			return false, nil
		case o := <-s.orders[p.Name()]:
			if !o.stop { // the part runs already
				o.done <- nil
				continue
			}
			leave()
			s.lack(p)
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
	s.set(p, func(st *Status) { st.State, st.Message, st.Warning = Stopped, stoppedByOrder, "" })
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

// lack notes that a part does not run because a user wants it, or as a consequence. Parts may end from now on until all run again.
func (s *Supervisor) lack(p Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lacking[p.Name()] = true
}

// returned notes that the part runs again.
func (s *Supervisor) returned(p Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lacking, p.Name())
}

// heals reports whether a part that has ended by itself is started again.
func (s *Supervisor) heals(p Part) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Restart {
		return true
	}
	if len(s.lacking) == 0 || p.Fixed != "" { // what cannot be stopped alone cannot be started alone
		return false
	}
	s.lacking[p.Name()] = true // what it needs may return before it does
	return true
}
