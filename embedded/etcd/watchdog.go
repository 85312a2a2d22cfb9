package etcd

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
)

const (
	// API servers compact every five minutes. An etcd that fills is compacted earlier, and the more often the fuller it is.
	compactWhenWarned = time.Minute
	compactWhenFull   = 5 * time.Second
	// hasteShare of the quota is how much may come since the last compaction before the next one is due at once.
	hasteShare = 5
	// A database that is nearly as large as the quota is defragmented at once if that gives back gainShare of the quota:
	// nothing can be stored otherwise, whatever is free in it.
	sizeShare, gainShare = 90, 5
	// Between two defragmentations, others can read and write at least that many times as long as the last one took.
	defragPause, defragRest = 5 * time.Second, 5
	// disarmShare of the limit has to be free on disk before etcd may store again.
	disarmShare = 3
	// At rest, a database of which more than half is free is defragmented. Nobody can read or write meanwhile.
	restSize     = 64 << 20
	restWrites   = 20 // between two looks
	restPause    = time.Hour
	orderTimeout = 10 * time.Second
)

// member is what a watchdog needs of the etcd that it looks after.
type member interface {
	// observe returns how the etcd is now.
	observe(ctx context.Context) (observation, error)
	// compact drops the history before the revision. Clients that list in pages or watch from an older one have to begin again.
	compact(ctx context.Context, revision int64) error
	defragment(ctx context.Context) error
	// disarm takes the alarm NOSPACE back.
	disarm(ctx context.Context) error
}

// observation is how an etcd is at one time.
type observation struct {
	Usage
	revision int64
	armed    bool  // etcd stores nothing, because its database is as large as it may be
	limit    int64 // of the size on disk, from which on etcd arms the alarm
}

// watchdog keeps room in one member: it compacts, defragments, and disarms the alarm NOSPACE when there is room again.
//
// etcd itself arms that alarm when its database is as large as the quota, and then stores nothing until somebody disarms it,
// even if all of the content is deleted.
type watchdog struct {
	member member
	log    logr.Logger

	seen      int64 // revision at the last look
	compacted struct {
		revision, inUse int64
		at              time.Time
	}
	defragmented    time.Time
	defragmentedFor time.Duration
}

// look does what is due.
func (w *watchdog) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, orderTimeout)
	defer cancel()
	now, err := w.member.observe(ctx)
	if err != nil {
		return err
	}
	writes := now.revision - w.seen
	w.seen = now.revision
	if w.compactionDue(now) {
		if now, err = w.compact(ctx, now.revision); err != nil {
			return err
		}
	}
	if reason := w.defragmentationDue(now, writes); reason != "" {
		if now, err = w.defragment(ctx, now, reason); err != nil {
			return err
		}
	}
	if now.armed {
		return w.disarm(ctx, now)
	}
	return nil
}

func (w *watchdog) compactionDue(now observation) bool {
	since, grown := time.Since(w.compacted.at), now.InUse-w.compacted.inUse
	switch {
	case now.revision <= w.compacted.revision: // what the last compaction freed is known when something is committed after it
		return now.percent() >= warnShare && since >= compactWhenWarned
	case now.armed:
		return true
	case now.full():
		return since >= compactWhenFull || grown > now.Quota*hasteShare/100
	case now.percent() >= warnShare:
		return since >= compactWhenWarned || grown > now.Quota*hasteShare/100
	}
	return grown > now.Quota*warnShare/200 // half of what is warned of came since the last one
}

// compact drops the history and returns how the etcd is then.
func (w *watchdog) compact(ctx context.Context, revision int64) (observation, error) {
	if err := w.member.compact(ctx, revision); err != nil {
		return observation{}, fmt.Errorf("compact: %w", err)
	}
	after, err := w.member.observe(ctx)
	w.compacted.revision, w.compacted.inUse, w.compacted.at = revision, after.InUse, time.Now()
	return after, err
}

// defragmentationDue returns the reason, or nothing.
func (w *watchdog) defragmentationDue(now observation, writes int64) string {
	since, free := time.Since(w.defragmented), now.Size-now.InUse
	switch {
	case (now.armed || now.Size >= now.Quota*sizeShare/100) && free >= now.Quota*gainShare/100 && since >= max(defragPause, defragRest*w.defragmentedFor):
		return "the database is as large as it may be"
	case now.Size > restSize && free > now.Size/2 && writes <= restWrites && since >= restPause:
		return "half of the database is free"
	}
	return ""
}

// defragment returns how the etcd is after that.
func (w *watchdog) defragment(ctx context.Context, before observation, reason string) (observation, error) {
	begin := time.Now()
	defer func() { w.defragmented, w.defragmentedFor = time.Now(), time.Since(begin) }()
	if err := w.member.defragment(ctx); err != nil {
		return observation{}, fmt.Errorf("defragment: %w", err)
	}
	after, err := w.member.observe(ctx)
	w.log.Info("The storage is defragmented", "reason", reason, "before", Bytes(before.Size), "after", Bytes(after.Size), "took", time.Since(begin).String())
	return after, err
}

// disarm lets etcd store again if there is room.
func (w *watchdog) disarm(ctx context.Context, now observation) error {
	if now.Size > now.limit-now.limit*disarmShare/100 {
		return nil
	}
	if err := w.member.disarm(ctx); err != nil {
		return fmt.Errorf("disarm the alarm NOSPACE: %w", err)
	}
	w.log.Info("The storage has room again", "usage", now.String(), "size", Bytes(now.Size))
	return nil
}
