package snapshotter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/compression"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// full takes a full snapshot and starts a new delta after it. Changes in the spool are in the snapshot, too.
func (s *session) full(ctx context.Context, final bool) (*snapshot.Snapshot, error) {
	begin := s.config.Clock.Now()
	revision, err := s.before(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	made := snapshot.Snapshot{
		Kind: snapshot.Full, End: revision, Created: s.after(revision), Generation: s.generation, Suffix: s.config.Suffix, Encrypted: keys.Encrypt(), Final: final,
	}
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	made.Size, err = s.config.Store.Write(limited, made, func(w io.Writer) error {
		sealed, err := keys.Writer(w)
		if err != nil {
			return err
		}
		if err := Database(limited, s.config.Client, sealed, s.config.Suffix); err != nil {
			return err
		}
		if err := sealed.Close(); err != nil {
			return err
		}
		s.contains(made) // only now: the database may have changes that came meanwhile
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.watch == nil {
		s.observe(ctx, revision)
	}
	s.stored(made)
	s.done(made, begin)
	s.since = amount{full: made.Size}
	if !final {
		s.collect(ctx)
	}
	return &made, nil
}

// now is the time of a snapshot that is taken now.
func (s *session) now() time.Time { return s.config.Clock.Now().UTC().Truncate(time.Second) }

// after is the time of a full snapshot that is taken now and ends with a revision. The time orders full snapshots of the same revision, so it is after that
// of the last one, even if the clock was put back: a final snapshot is followed by others once the etcd serves again.
func (s *session) after(revision int64) time.Time {
	at, last := s.now(), s.State().LastFull
	if last != nil && last.Generation == s.generation && last.End == revision && !last.Created.Before(at) {
		return last.Created.Add(time.Second)
	}
	return at
}

// before returns the revision that a full snapshot contains at least. The delta before is completed up to it, so that an older
// full snapshot continues if this one is damaged.
func (s *session) before(ctx context.Context) (int64, error) {
	if s.watch == nil {
		return s.revision(ctx)
	}
	_, err := s.delta(ctx, false)
	return s.seen, err
}

// Database writes the database of an etcd as etcd sends it, compressed by the algorithm of the suffix. etcd ends it with the SHA-256 of all
// before, which is checked.
func Database(ctx context.Context, from *clientv3.Client, w io.Writer, suffix string) error {
	response, err := from.SnapshotWithVersion(ctx)
	if err != nil {
		return fmt.Errorf("read database: %w", err)
	}
	defer response.Snapshot.Close()
	packed, err := compression.Writer(w, suffix)
	if err != nil {
		return err
	}
	sum := &checked{hash: sha256.New()}
	if _, err := io.Copy(io.MultiWriter(packed, sum), response.Snapshot); err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	if !bytes.Equal(sum.hash.Sum(nil), sum.held) {
		return errors.New("the database was not sent completely")
	}
	return packed.Close()
}

// checked hashes all but the last bytes.
type checked struct {
	hash hash.Hash
	held []byte
}

func (c *checked) Write(p []byte) (int, error) {
	c.held = append(c.held, p...)
	if n := len(c.held) - sha256.Size; n > 0 {
		_, _ = c.hash.Write(c.held[:n])
		c.held = append(c.held[:0], c.held[n:]...)
	}
	return len(p), nil
}

// flushLater stores the delta and returns the time until the next one. The spool keeps the changes if the store fails.
func (s *session) flushLater(ctx context.Context, period time.Duration) time.Duration {
	if _, err := s.flush(ctx, false); err != nil {
		s.note(func(st *State) { st.Err = err })
		failures.Inc()
		s.config.Log.Error(err, "A delta snapshot could not be stored")
		return min(period, retryFlush)
	}
	return period
}

// flush stores the changes in the spool. Without changes there is no snapshot.
func (s *session) flush(ctx context.Context, final bool) (*snapshot.Snapshot, error) {
	begin := s.config.Clock.Now()
	if s.spool.first == 0 {
		s.note(func(st *State) { st.Err, st.Latest = nil, begin })
		return nil, nil
	}
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	leases := s.lifetimes(limited)
	made := snapshot.Snapshot{
		Kind: snapshot.Delta, Start: s.spool.first, End: s.spool.last, Created: s.now(), Generation: s.generation, Suffix: s.config.Suffix, Encrypted: keys.Encrypt(), Final: final,
	}
	made.Size, err = s.config.Store.Write(limited, made, func(w io.Writer) error {
		sealed, err := keys.Writer(w)
		if err != nil {
			return err
		}
		packed, err := compression.Writer(sealed, s.config.Suffix)
		if err != nil {
			return err
		}
		s.contains(made)
		return errors.Join(s.spool.writeTo(packed, leases), packed.Close(), sealed.Close())
	})
	if err != nil {
		return nil, err
	}
	s.stored(made)
	if err := s.spool.reset(); err != nil {
		return nil, err
	}
	s.done(made, begin)
	s.since.deltas += made.Size
	return &made, nil
}

// lifetimes asks for the time to live of the leases in the spool. A lease that is gone has none, and its keys are gone, too.
func (s *session) lifetimes(ctx context.Context) map[int64]int64 {
	out := map[int64]int64{}
	for id := range s.spool.leases {
		if lease, err := s.config.Client.TimeToLive(ctx, clientv3.LeaseID(id)); err == nil && lease.GrantedTTL > 0 {
			out[id] = lease.GrantedTTL
		}
	}
	return out
}
