package flow

import (
	"context"
	"time"
)

// reporter passes the newest progress to a callback in its own goroutine, so that a slow callback delays no step.
type reporter struct {
	newest chan Progress // holds at most one report
	last   chan struct{} // closed when no report comes any more
	done   chan struct{}
}

func startReporter(ctx context.Context, opts Options) *reporter {
	r := &reporter{newest: make(chan Progress, 1), last: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for progress := range r.newest {
			if opts.Progress == nil {
				continue
			}
			opts.Progress(ctx, progress)
			select {
			case <-time.After(opts.ProgressPeriod):
			case <-r.last:
			case <-ctx.Done():
			}
		}
	}()
	return r
}

// send replaces a report that has not been delivered yet.
func (r *reporter) send(progress Progress) {
	for {
		select {
		case r.newest <- progress:
			return
		default:
		}
		select {
		case <-r.newest:
		default:
		}
	}
}

// stop waits until the last report is delivered.
func (r *reporter) stop() {
	close(r.newest)
	close(r.last)
	<-r.done
}
