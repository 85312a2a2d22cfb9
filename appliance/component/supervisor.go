package component

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	readyPoll    = 25 * time.Millisecond // first interval between two readiness checks; grows to readyPollMax
	readyPollMax = 250 * time.Millisecond
	minBackoff   = time.Second
	maxBackoff   = time.Minute
	// calmPeriod is how long a restarted part must run before its back-off is reset.
	calmPeriod = 5 * time.Minute
)

// Supervisor starts parts in the order of their dependencies, watches them, and stops them in reverse. Parts that do not
// depend on each other start in parallel. Create it with NewSupervisor; Run may be called once.
type Supervisor struct {
	parts   []Part
	observe func(Status)

	mu       sync.Mutex
	statuses map[string]*Status
	touched  []string // names in the order of Start, added before Start so that a half-started part is stopped, too
	ready    chan struct{}

	orders map[string]chan order // by name of the part; see orders.go
}

// NewSupervisor checks the parts: names are unique, and every name in After belongs to an earlier part of the list. observe
// is called on each change of a status. It may be nil and must not block.
func NewSupervisor(parts []Part, observe func(Status)) (*Supervisor, error) {
	s := &Supervisor{parts: parts, observe: observe, statuses: map[string]*Status{}, ready: make(chan struct{}), orders: map[string]chan order{}}
	for _, p := range parts {
		if _, exists := s.statuses[p.Name()]; exists {
			return nil, fmt.Errorf("part %q exists twice", p.Name())
		}
		for _, before := range p.After {
			if _, exists := s.statuses[before]; !exists {
				return nil, fmt.Errorf("part %q comes after %q, which is not listed before it", p.Name(), before)
			}
		}
		s.statuses[p.Name()] = &Status{Name: p.Name(), Title: p.Title, State: Waiting, Health: p.Health}
		s.orders[p.Name()] = make(chan order)
	}
	return s, nil
}

// AllReady is closed once every part is ready for the first time.
func (s *Supervisor) AllReady() <-chan struct{} { return s.ready }

// Statuses returns the current status of every part in the order of the list.
func (s *Supervisor) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Status
	for _, p := range s.parts {
		all = append(all, *s.statuses[p.Name()])
	}
	return all
}

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
			ordered := false
			if ordered, err = s.watch(ctx, p); ordered && s.awaitStart(ctx, p) {
				backoff = minBackoff
				continue
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if first && !isClosed(gates[p.Name()]) || !p.Restart {
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
				s.stopped(p)
				s.awaitStart(ctx, p)
			}
		case <-ctx.Done():
			return nil
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

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

func (s *Supervisor) touch(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.touched, name) {
		s.touched = append(s.touched, name)
	}
}

func (s *Supervisor) set(p Part, change func(*Status)) {
	s.mu.Lock()
	status := s.statuses[p.Name()]
	before := *status
	change(status)
	status.Message = oneLine(status.Message)
	after := *status
	s.mu.Unlock()
	if s.observe != nil && before != after {
		s.observe(after)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
