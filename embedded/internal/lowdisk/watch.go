package lowdisk

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Pauses after the etcd could not be watched, doubled each time up to the last one.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// Watch knows what the members of one etcd tell.
type Watch struct {
	dial func() (*clientv3.Client, error)
	log  logr.Logger

	mu      sync.Mutex
	notices map[string]notice // by key
}

// NewWatch watches an etcd until the context ends. The function makes a client of it, and may wait for it.
func NewWatch(ctx context.Context, dial func() (*clientv3.Client, error), log logr.Logger) *Watch {
	w := &Watch{dial: dial, log: log}
	go w.run(ctx)
	return w
}

// Low is nil while all members have room for everybody, or at least for those who are essential. While the etcd cannot be watched, the last state counts.
func (w *Watch) Low(essential bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, told := range w.notices {
		if told.everybody || !essential {
			return errors.New(told.text)
		}
	}
	return nil
}

func (w *Watch) run(ctx context.Context) {
	pause := firstPause
	for failing := false; ctx.Err() == nil; failing = true {
		begin := time.Now()
		err := w.watch(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begin) > lastPause {
			pause, failing = firstPause, false
		}
		if !failing {
			w.log.Info("What the members of the etcd tell about their disks cannot be watched; will try again", "reason", err.Error())
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// watch returns when the etcd cannot be watched any longer.
func (w *Watch) watch(ctx context.Context) error {
	client, err := w.dial()
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	list, err := client.Get(ctx, Prefix, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	found := map[string]notice{}
	for _, kv := range list.Kvs {
		found[string(kv.Key)] = parse(string(kv.Value))
	}
	w.change(func(notices *map[string]notice) { *notices = found })
	for response := range client.Watch(ctx, Prefix, clientv3.WithPrefix(), clientv3.WithRev(list.Header.Revision+1)) {
		if err := response.Err(); err != nil {
			return err
		}
		w.change(func(notices *map[string]notice) {
			for _, event := range response.Events {
				if event.Type == clientv3.EventTypeDelete {
					delete(*notices, string(event.Kv.Key))
				} else {
					(*notices)[string(event.Kv.Key)] = parse(string(event.Kv.Value))
				}
			}
		})
	}
	return errors.New("the watch has ended")
}

// change logs what is told for the first time, and what is over.
func (w *Watch) change(do func(*map[string]notice)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := map[string]bool{}
	for key := range w.notices {
		before[key] = true
	}
	do(&w.notices)
	for key, told := range w.notices {
		if !before[key] {
			w.log.Info("The disk of a member of the etcd is short of room", "member", strings.TrimPrefix(key, Prefix), "reason", told.text)
		}
		delete(before, key)
	}
	for key := range before {
		w.log.Info("The disk of a member of the etcd has room again", "member", strings.TrimPrefix(key, Prefix))
	}
}
