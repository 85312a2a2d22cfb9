package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
)

const (
	watchInterval = time.Second
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

// watchdog keeps room in one member: it compacts, defragments, and disarms the alarm NOSPACE when there is room again.
//
// etcd itself arms that alarm when its database is as large as the quota, and then stores nothing until somebody disarms it,
// even if all of the content is deleted.
type watchdog struct {
	member *etcdserver.EtcdServer
	usage  func() Usage
	survey *survey
	log    logr.Logger

	seen      int64 // revision at the last look
	compacted struct {
		revision, inUse int64
		at              time.Time
	}
	defragmented    time.Time
	defragmentedFor time.Duration
}

// run removes the keys of the prefixes, looks once, calls tended, and then looks again and again until ctx ends.
func (w *watchdog) run(ctx context.Context, drop []string, tended func()) {
	select {
	case <-w.member.ReadyNotify():
	case <-ctx.Done():
		return
	}
	err := w.drop(ctx, drop)
	if err = errors.Join(err, w.look(ctx)); err != nil && ctx.Err() == nil {
		w.log.Error(err, "The storage cannot be put in order; will try again", "usage", w.usage().String())
	}
	tended()
	for ticker := time.NewTicker(watchInterval); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
		}
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.log.Error(err, "The storage cannot be kept in order; will try again", "usage", w.usage().String())
		}
	}
}

// look does what is due.
func (w *watchdog) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, orderTimeout)
	defer cancel()
	armed := w.armed()
	revision := w.member.KV().Rev()
	writes := revision - w.seen
	w.seen = revision
	if w.compactionDue(armed, revision) {
		if err := w.compact(ctx, revision); err != nil {
			return err
		}
	}
	if reason := w.defragmentationDue(armed, writes); reason != "" {
		if err := w.defragment(reason); err != nil {
			return err
		}
	}
	if armed {
		if err := w.disarm(ctx); err != nil {
			return err
		}
	}
	return w.takeStock(ctx)
}

// drop removes all keys that begin with one of the prefixes.
func (w *watchdog) drop(ctx context.Context, prefixes []string) error {
	for _, prefix := range prefixes {
		begin, end := []byte(prefix), []byte(clientv3.GetPrefixRangeEnd(prefix))
		found, err := w.member.Range(ctx, &etcdserverpb.RangeRequest{Key: begin, RangeEnd: end, CountOnly: true})
		if err == nil && found.Count > 0 {
			_, err = w.member.DeleteRange(ctx, &etcdserverpb.DeleteRangeRequest{Key: begin, RangeEnd: end})
			w.log.Info("Keys that do not belong here are removed", "prefix", prefix, "keys", found.Count)
		}
		if err != nil {
			return fmt.Errorf("remove keys below %s: %w", prefix, err)
		}
	}
	return nil
}

// armed reports whether etcd stores nothing because its database is as large as it may be.
func (w *watchdog) armed() bool {
	for _, alarm := range w.member.Alarms() {
		if alarm.Alarm == etcdserverpb.AlarmType_NOSPACE {
			return true
		}
	}
	return false
}

func (w *watchdog) compactionDue(armed bool, revision int64) bool {
	if revision <= w.compacted.revision {
		return false
	}
	u, since := w.usage(), time.Since(w.compacted.at)
	grown := u.InUse - w.compacted.inUse
	switch {
	case armed:
		return true
	case u.full():
		return since >= compactWhenFull || grown > u.Quota*hasteShare/100
	case u.percent() >= warnShare:
		return since >= compactWhenWarned || grown > u.Quota*hasteShare/100
	}
	return grown > u.Quota*warnShare/200 // half of what is warned of came since the last one
}

// compact drops the history. Clients that list in pages or watch from an old revision have to begin again.
func (w *watchdog) compact(ctx context.Context, revision int64) error {
	_, err := w.member.Compact(ctx, &etcdserverpb.CompactionRequest{Revision: revision, Physical: true})
	if err != nil && !errors.Is(err, mvcc.ErrCompacted) { // an API server may have been faster
		return fmt.Errorf("compact: %w", err)
	}
	w.member.Backend().ForceCommit() // what is free is known after that
	w.compacted.revision, w.compacted.inUse, w.compacted.at = revision, w.usage().InUse, time.Now()
	return nil
}

// defragmentationDue returns the reason, or nothing.
func (w *watchdog) defragmentationDue(armed bool, writes int64) string {
	u, since := w.usage(), time.Since(w.defragmented)
	free := u.Size - u.InUse
	switch {
	case (armed || u.Size >= u.Quota*sizeShare/100) && free >= u.Quota*gainShare/100 && since >= max(defragPause, defragRest*w.defragmentedFor):
		return "the database is as large as it may be"
	case u.Size > restSize && free > u.Size/2 && writes <= restWrites && since >= restPause:
		return "half of the database is free"
	}
	return ""
}

func (w *watchdog) defragment(reason string) error {
	before, begin := w.usage().Size, time.Now()
	defer func() { w.defragmented, w.defragmentedFor = time.Now(), time.Since(begin) }()
	if err := w.member.Backend().Defrag(); err != nil {
		return fmt.Errorf("defragment: %w", err)
	}
	w.log.Info("The storage is defragmented", "reason", reason, "before", Bytes(before), "after", Bytes(w.usage().Size), "took", time.Since(begin).String())
	return nil
}

// disarm lets etcd store again if there is room.
func (w *watchdog) disarm(ctx context.Context) error {
	u, limit := w.usage(), w.member.Cfg.QuotaBackendBytes
	if u.Size > limit-limit*disarmShare/100 {
		return nil
	}
	_, err := w.member.Alarm(ctx, &etcdserverpb.AlarmRequest{
		MemberID: uint64(w.member.MemberID()), Action: etcdserverpb.AlarmRequest_DEACTIVATE, Alarm: etcdserverpb.AlarmType_NOSPACE,
	})
	if err != nil {
		return fmt.Errorf("disarm the alarm NOSPACE: %w", err)
	}
	w.log.Info("The storage has room again", "usage", u.String(), "size", Bytes(u.Size))
	return nil
}

// takeStock finds out what takes the room while somebody has to make some.
func (w *watchdog) takeStock(ctx context.Context) error {
	if w.usage().percent() < warnShare {
		w.survey.forget()
		return nil
	}
	if !w.survey.due() {
		return nil
	}
	return w.survey.look(ctx, w.member)
}
