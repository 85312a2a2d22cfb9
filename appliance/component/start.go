package component

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	readyPoll    = 25 * time.Millisecond // first interval between two readiness checks; grows to readyPollMax
	readyPollMax = 250 * time.Millisecond
)

// startAndWait starts the part and returns when it is ready.
func (s *Supervisor) startAndWait(ctx context.Context, p Part) error {
	timeout := p.ReadyTimeout
	if timeout == 0 {
		timeout = DefaultReadyTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	begin := time.Now()
	s.touch(p.Name())
	s.set(p, func(st *Status) { st.State, st.Message, st.Warning = Starting, "", "" })
	if err := p.Start(ctx); err != nil {
		return err
	}
	for poll := readyPoll; ; poll = min(poll*5/4, readyPollMax) {
		err := p.Ready(ctx)
		if err == nil {
			s.set(p, func(st *Status) { serving(p)(st); st.Took = time.Since(begin) })
			return nil
		}
		s.set(p, func(st *Status) { st.Message = err.Error() })
		select {
		case <-p.Done():
			return s.reasonOfEnd(ctx, p)
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s: %w", time.Since(begin).Round(time.Second), err)
		case <-time.After(poll):
		}
	}
}

// reasonOfEnd returns why a part has ended by itself.
func (s *Supervisor) reasonOfEnd(ctx context.Context, p Part) error {
	if err := p.Stop(ctx); err != nil {
		return fmt.Errorf("ended unexpectedly: %w", err)
	}
	return errors.New("ended unexpectedly without a reason")
}

func (s *Supervisor) touch(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.touched, name) {
		s.touched = append(s.touched, name)
	}
}
