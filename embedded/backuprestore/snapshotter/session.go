package snapshotter

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// errFollower ends a session, because another member leads now.
var errFollower = errors.New("another member leads")

// day is how old the newest full snapshot may be when an etcd without a schedule starts.
const day = 24 * time.Hour

// retryFlush is the pause after a delta could not be stored. Its changes stay in the spool.
const retryFlush = 10 * time.Second

// session backs up without interruption: it continues the newest chain of snapshots, or begins one with a full snapshot, and
// then collects all changes. It ends at the first failure that may have lost a change.
type session struct {
	*Snapshotter
	spool *spool
	watch clientv3.WatchChan
	// seen is the last revision that the spool or a snapshot contains.
	seen  int64
	since amount
	// generation is that of the snapshots.
	generation int64
	// known are the snapshots that the data are noted to contain: the last one that was stored, and those since that may be. nil if there is no note.
	known []snapshot.Snapshot
}

func (s *Snapshotter) session(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run := &session{Snapshotter: s}
	if err := run.begin(ctx); err != nil {
		return err
	}
	defer func() { run.spool.close() }()
	if _, err := run.delta(ctx, false); err != nil { // of what was written while no backup ran
		return err
	}
	flush := s.config.Clock.NewTimer(s.config.DeltaPeriod)
	full := s.config.Clock.NewTimer(s.untilFull())
	look := s.config.Clock.NewTicker(leadPause)
	defer flush.Stop()
	defer full.Stop()
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C():
			if !s.config.Leads() {
				return errFollower
			}
		case response, ok := <-run.watch:
			if err := run.receive(response, ok); err != nil {
				return err
			}
			if run.spool.size >= s.config.DeltaLimit {
				flush.Reset(run.flushLater(ctx, s.config.DeltaPeriod))
			}
		case <-flush.C():
			flush.Reset(run.flushLater(ctx, s.config.DeltaPeriod))
		case <-full.C():
			if _, err := run.full(ctx, false); err != nil {
				return err
			}
			full.Reset(s.untilFull())
		case r := <-s.requests:
			made, err := run.serve(ctx, r)
			r.answer <- answer{made, err}
			if err != nil {
				return err
			}
		}
		if err := run.renew(ctx); err != nil {
			return err
		}
	}
}

func (s *Snapshotter) untilFull() time.Duration {
	const never = 100 * 365 * day
	if s.config.Full == nil {
		return never
	}
	now := s.config.Clock.Now()
	next := s.config.Full.Next(now)
	if next.IsZero() {
		return never
	}
	return next.Sub(now)
}

// begin finds out where to continue.
func (s *session) begin(ctx context.Context) error {
	all, err := s.config.Store.List(ctx)
	if err != nil {
		return err
	}
	s.remember(all)
	follows, err := s.follow(ctx, all)
	if err != nil {
		return err
	}
	s.spool, err = newSpool(s.config.SpoolDir)
	if err != nil {
		return err
	}
	if chains := snapshot.Chains(all); follows && len(chains) > 0 {
		chain := chains[0]
		if chain.Full.Generation == s.generation && !s.due(chain) && s.continues(ctx, chain.End()) {
			s.since = amountOf(chain)
			return nil
		}
	}
	_, err = s.full(ctx, false)
	if err != nil {
		s.spool.close()
	}
	return err
}

// follow finds the generation of the snapshots to take, and reports whether they follow those that there are. They do not if the data of the etcd were put
// back to an earlier state.
func (s *session) follow(ctx context.Context, all []snapshot.Snapshot) (follows bool, err error) {
	s.known = s.noted()
	if len(all) == 0 {
		s.generation = known.Generation(s.known)
		return true, nil
	}
	newest := known.Newest(s.known, all)
	current, err := s.revision(ctx)
	if err != nil {
		return false, err
	}
	if s.generation, follows = known.Follows(s.known, newest, current); follows {
		s.contains(newest)
		s.stored(newest)
		return true, nil
	}
	s.config.Log.Info("The data of the etcd do not contain its newest snapshot; new ones follow as another generation, and the last ones of the former stay for a week",
		"revision", current, "newest", newest.Key(), "generation", s.generation)
	return false, nil
}

// due tells whether a full snapshot was missed. A final snapshot is not continued. A time that is far in the future is that of a wrong clock.
func (s *session) due(chain snapshot.Chain) bool {
	age := s.config.Clock.Since(chain.Full.Created)
	if chain.Full.Final || chain.Latest().Final || age < -day {
		return true
	}
	if s.config.Full == nil {
		return age > day
	}
	return s.config.Full.Next(chain.Full.Created).Before(s.config.Clock.Now())
}

// continues watches from the end of a chain on, if etcd still has all changes since.
func (s *session) continues(ctx context.Context, end int64) bool {
	status, err := s.config.Client.Get(ctx, "\x00", clientv3.WithLimit(1), clientv3.WithKeysOnly(), clientv3.WithRev(end))
	if err != nil || status.Header.Revision < end {
		return false // compacted, or another etcd than that of the chain
	}
	s.observe(ctx, end)
	return true
}

// observe watches all changes after a revision.
func (s *session) observe(ctx context.Context, after int64) {
	s.seen = after
	s.watch = s.config.Client.Watch(clientv3.WithRequireLeader(ctx), "\x00", clientv3.WithFromKey(), clientv3.WithRev(after+1), clientv3.WithFragment())
}

func (s *session) receive(response clientv3.WatchResponse, ok bool) error {
	switch {
	case !ok:
		return errors.New("the watch has ended")
	case response.Err() != nil:
		return fmt.Errorf("watch changes: %w", response.Err())
	}
	for _, event := range response.Events {
		if event.Kv.ModRevision <= s.seen && s.spool.last != event.Kv.ModRevision {
			continue
		}
		if event.Kv.ModRevision > s.seen+1 {
			return fmt.Errorf("revision %d follows %d", event.Kv.ModRevision, s.seen)
		}
		if err := s.spool.add(event); err != nil {
			return err
		}
		s.seen = event.Kv.ModRevision
	}
	return nil
}

// serve answers a request.
func (s *session) serve(ctx context.Context, r request) (*snapshot.Snapshot, error) {
	if r.kind == snapshot.Full {
		return s.full(ctx, r.final)
	}
	return s.delta(ctx, r.final)
}

// delta stores all changes that are acknowledged now.
func (s *session) delta(ctx context.Context, final bool) (*snapshot.Snapshot, error) {
	current, err := s.revision(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	for s.seen < current {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for revision %d: %w", current, ctx.Err())
		case response, ok := <-s.watch:
			if err := s.receive(response, ok); err != nil {
				return nil, err
			}
		}
	}
	return s.flush(ctx, final)
}

// revision is that of the last acknowledged write.
func (s *session) revision(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	response, err := s.config.Client.Get(ctx, "\x00", clientv3.WithLimit(1), clientv3.WithKeysOnly())
	if err != nil {
		return 0, fmt.Errorf("ask for the revision: %w", err)
	}
	return response.Header.Revision, nil
}
