package snapshotter

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// Pauses: after failures, doubled each time up to the last one, and between two checks whether the member leads.
const (
	firstPause = time.Second
	lastPause  = time.Minute
	leadPause  = 5 * time.Second
)

// Run backs up until ctx ends, and returns when nothing of it runs any longer. Failures are retried.
func (s *Snapshotter) Run(ctx context.Context) {
	var maintenance sync.WaitGroup
	defer maintenance.Wait()
	s.maintain(ctx, &maintenance)
	if s.config.Store == nil {
		<-ctx.Done()
		return
	}
	pause := firstPause
	for ctx.Err() == nil {
		if !s.config.Leads() {
			s.wait(ctx, leadPause)
			continue
		}
		begin := s.config.Clock.Now()
		err := s.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, errFollower) {
			s.note(func(st *State) { st.Err = err })
			failures.Inc()
			s.config.Log.Error(err, "Backing up failed")
		}
		if s.config.Clock.Since(begin) > lastPause {
			pause = firstPause
		}
		s.wait(ctx, pause)
		pause = min(2*pause, lastPause)
	}
}

func (s *Snapshotter) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-s.config.Clock.After(d):
	}
}

// maintain starts what deletes old snapshots and defragments until ctx ends.
func (s *Snapshotter) maintain(ctx context.Context, running *sync.WaitGroup) {
	if s.config.Store != nil && s.config.RetentionPeriod > 0 {
		running.Go(func() {
			s.every(ctx, func(now time.Time) time.Time { return now.Add(s.config.RetentionPeriod) }, func() {
				if s.config.Leads() {
					s.collect(ctx)
				}
			})
		})
	}
	if schedule := s.config.Defragmentation; schedule != nil {
		running.Go(func() { s.every(ctx, schedule.Next, func() { s.defragment(ctx) }) })
	}
}

// every calls do at each time that next returns.
func (s *Snapshotter) every(ctx context.Context, next func(time.Time) time.Time, do func()) {
	for {
		now := s.config.Clock.Now()
		at := next(now)
		if at.IsZero() {
			return // a schedule that never comes
		}
		if wallclock.Until(ctx, s.config.Clock, at) != nil {
			return
		}
		do()
	}
}

func (s *Snapshotter) collect(ctx context.Context) {
	all, err := s.config.Store.List(ctx)
	if err != nil {
		s.config.Log.Error(err, "Old snapshots cannot be found")
		return
	}
	var left int64
	for _, one := range all {
		left += one.Size
	}
	for _, old := range s.config.Retention.Obsolete(all, s.config.Clock.Now()) {
		if err := s.config.Store.Delete(ctx, old); err != nil {
			s.config.Log.Error(err, "An old snapshot cannot be deleted")
			return
		}
		left -= old.Size
		s.config.Log.Info("Deleted an old snapshot", "snapshot", old.Key())
	}
	stored.Set(float64(left))
	if limit := s.config.Retention.Bytes; limit > 0 && left > limit {
		s.config.Log.Info("The snapshots have more bytes than they may, but none of them can be deleted", "bytes", left, "limit", limit)
	}
}

func (s *Snapshotter) defragment(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.config.DefragmentationTimeout)
	defer cancel()
	begin := s.config.Clock.Now()
	if _, err := s.config.Client.Defragment(ctx, s.config.Endpoint); err != nil {
		s.config.Log.Error(err, "Defragmentation failed")
		return
	}
	s.config.Log.Info("Defragmented", "seconds", s.config.Clock.Since(begin).Seconds())
}
