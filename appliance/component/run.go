package component

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	minBackoff = time.Second
	maxBackoff = time.Minute
	// calmPeriod is how long a restarted part must run before its back-off is reset.
	calmPeriod = 5 * time.Minute
)

// Run starts all parts and blocks until ctx ends or a part that cannot be restarted ends. It then stops everything. It
// returns nil after a clean stop that ctx asked for, else the reason of the end.
func (s *Supervisor) Run(ctx context.Context) error {
	runCtx, fail := context.WithCancelCause(ctx)
	defer fail(nil)

	gates := map[string]chan struct{}{}
	for _, p := range s.parts {
		gates[p.Name()] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for _, p := range s.parts {
		wg.Go(func() {
			if err := s.supervise(runCtx, p, gates); err != nil {
				s.failed(err)
				fail(err)
			}
		})
	}
	wg.Go(func() {
		for _, gate := range gates {
			select {
			case <-gate:
			case <-runCtx.Done():
				return
			}
		}
		close(s.ready)
	})

	<-runCtx.Done()
	wg.Wait()
	stopErr := s.stopAll(context.WithoutCancel(ctx))
	if cause := context.Cause(runCtx); !errors.Is(cause, context.Canceled) {
		return cause // errors while stopping are consequences of the cause
	}
	return stopErr
}

// supervise starts, watches and restarts one part. A returned error stops all parts.
func (s *Supervisor) supervise(ctx context.Context, p Part, gates map[string]chan struct{}) error {
	for _, before := range p.After {
		select {
		case <-gates[before]:
		case <-ctx.Done():
			return nil
		}
	}
	backoff := minBackoff
	for first := true; ; first = false {
		begin := time.Now()
		err := s.startAndWait(ctx, p)
		if err == nil {
			if first {
				close(gates[p.Name()])
			}
			s.returned(p)
			ordered := false
			if ordered, err = s.watch(ctx, p); ordered && s.awaitStart(ctx, p) {
				backoff = minBackoff
				continue
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if first && !isClosed(gates[p.Name()]) || !s.heals(p) {
			s.set(p, func(st *Status) { st.State, st.Message = Failed, err.Error() })
			return fmt.Errorf("%s: %w", p.Name(), err)
		}
		if time.Since(begin) > calmPeriod {
			backoff = minBackoff
		}
		s.set(p, func(st *Status) { st.State, st.Message, st.Restarts = Backoff, err.Error(), st.Restarts+1 })
		select {
		case <-time.After(backoff):
		case o := <-s.orders[p.Name()]:
			if o.done <- nil; o.stop {
				s.lack(p)
				s.stopped(p)
				s.awaitStart(ctx, p)
			}
		case <-ctx.Done():
			return nil
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

// stopAll stops all parts that were touched, one after the other. A part is stopped after all parts that depend on it.
func (s *Supervisor) stopAll(ctx context.Context) error {
	var errs []error
	for _, p := range s.stopOrder() {
		s.set(p, func(st *Status) { st.State = Stopping })
		stopCtx, cancel := context.WithTimeout(ctx, p.stopTimeout())
		err := p.Stop(stopCtx)
		cancel()
		if err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", p.Name(), err))
		}
		s.set(p, func(st *Status) {
			if st.State = Stopped; st.Message != "" && err == nil {
				st.Message = ""
			}
		})
	}
	return errors.Join(errs...)
}

// stopOrder is the reverse of the list (which is sorted by dependency), limited to the parts that were touched.
func (s *Supervisor) stopOrder() []Part {
	s.mu.Lock()
	defer s.mu.Unlock()
	var order []Part
	for _, p := range slices.Backward(s.parts) {
		if slices.Contains(s.touched, p.Name()) {
			order = append(order, p)
		}
	}
	return order
}
