package component

import (
	"context"
	"fmt"
	"time"
)

// A part that was ready is asked again every askInterval and gets askTimeout to answer. A single failure may be the load of
// the machine, so the part is asked again after doubtInterval. The second failure in a row makes it degraded, at most ten seconds after it
// has stopped serving. Questions cost processor time at rest, so there are no more of them than that needs.
const (
	askInterval    = 2500 * time.Millisecond
	doubtInterval  = time.Second
	askTimeout     = 3 * time.Second
	askGrace       = 100 * time.Millisecond // for the return of a Ready whose context has just ended
	failuresInARow = 2
)

// attend keeps the state of a ready part true until ctx ends: it asks Ready and, of a Warner, the warning.
func (s *Supervisor) attend(ctx context.Context, p Part) {
	asker := &asker{part: p}
	for failures := 0; ; {
		pause := askInterval
		if failures > 0 {
			pause = doubtInterval
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := asker.ask(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			failures = 0
			s.set(p, serving(p))
			continue
		}
		if failures++; failures >= failuresInARow {
			s.set(p, func(st *Status) { st.State, st.Message = Degraded, err.Error() })
		}
	}
}

// serving is the change of the status of a part that serves.
func serving(p Part) func(*Status) {
	warning, refuses := "", false
	if warner, ok := p.Component.(Warner); ok {
		warning, refuses = warner.Warning()
	}
	return func(st *Status) {
		st.State, st.Message, st.Warning = Ready, "", ""
		switch {
		case refuses:
			st.State, st.Message = Degraded, warning
		case warning != "":
			st.Warning = oneLine(warning)
		}
	}
}

// asker asks a part whether it serves.
type asker struct {
	part    Part
	pending chan error // the answer to an earlier question that is still open
}

// ask returns the answer, or an error when there is none in time. A part that ignores the end of its context is not asked
// a second question before it has answered the first one.
func (a *asker) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if a.pending == nil {
		answer := make(chan error, 1)
		go func() { answer <- a.part.Ready(ctx) }()
		a.pending = answer
	}
	select {
	case err := <-a.pending:
		a.pending = nil
		return err
	case <-time.After(askTimeout + askGrace):
		return fmt.Errorf("does not answer within %s", askTimeout)
	}
}
