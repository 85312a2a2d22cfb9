package snapshots

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/robfig/cron/v3"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/retention"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

const (
	// deltaPeriod is how much of what was written may be lost with the disk's copy of an etcd.
	deltaPeriod = time.Minute
	deltaLimit  = 10 << 20
	// fullPeriod bounds how many deltas a restoration has to apply.
	fullPeriod = 6 * time.Hour
	// retainedFulls are enough to go back a day.
	retainedFulls   = 4
	retentionPeriod = time.Hour
	// longest is how many quotas all snapshots may have: a full snapshot has one at most, and so do its deltas.
	longest = 2

	timeout     = 5 * time.Minute
	dialTimeout = 10 * time.Second
	// lastTimeout bounds the delta of what was written before the etcd is stopped.
	lastTimeout = 5 * time.Second
	suffix      = ".gz"
)

// Room tells whether there is room on the disk for those who are not essential. The error says how much is free.
type Room interface{ Low(essential bool) error }

// Access is how the etcd is reached. CA, Cert and Key are files; without them there is no TLS.
type Access struct{ Endpoint, CA, Cert, Key string }

// Client connects to the etcd.
func (a Access) Client() (*clientv3.Client, error) {
	config := clientv3.Config{Endpoints: []string{a.Endpoint}, DialTimeout: dialTimeout, Logger: zap.NewNop()}
	if a.CA != "" {
		tls, err := transport.TLSInfo{TrustedCAFile: a.CA, CertFile: a.Cert, KeyFile: a.Key}.ClientConfig()
		if err != nil {
			return nil, err
		}
		config.TLS = tls
	}
	return clientv3.New(config)
}

// Keeper keeps snapshots of one etcd.
type Keeper struct {
	Access
	// Paths of the landscape. Name is that of the etcd.
	Paths paths.Paths
	Name  string
	// Quota is how many bytes the database of the etcd may have.
	Quota int64
	// Room is asked before each look. While there is none, no snapshots are made, so that etcd itself has what is left.
	Room Room
	Log  logr.Logger

	running atomic.Pointer[snapshotter.Snapshotter]
	failed  atomic.Pointer[error]
}

// Run backs the etcd up until the context ends, and then once more, so that the snapshots have all that was written. Failures are retried.
func (k *Keeper) Run(ctx context.Context) {
	for {
		err := k.keep(ctx)
		if err == nil {
			return
		}
		k.Log.Error(err, "No snapshots are made; will try again")
		k.failed.Store(&err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(deltaPeriod):
		}
	}
}

func (k *Keeper) keep(ctx context.Context) error {
	opened, err := open(ctx, k.Paths, k.Name)
	if err != nil {
		return err
	}
	defer opened.Close()
	client, err := k.Client()
	if err != nil {
		return err
	}
	defer client.Close()
	note := known.In(k.Paths.Etcd(k.Name))
	if err := note.Tidy(); err != nil {
		k.Log.Error(err, "Temporary files stay in the data of the etcd")
	}
	s := snapshotter.New(snapshotter.Config{
		Client: client, Store: opened, Suffix: suffix, SpoolDir: k.Paths.Run().Spool(k.Name), Known: note,
		Full: cron.Every(fullPeriod), DeltaPeriod: deltaPeriod, DeltaLimit: deltaLimit, Timeout: timeout, Quota: k.Quota,
		Retention:       retention.Policy{Name: retention.LimitBased, Limit: retainedFulls, Bytes: longest * k.Quota},
		RetentionPeriod: retentionPeriod, Leads: func() bool { return k.Room.Low(false) == nil }, Log: k.Log,
	})
	k.failed.Store(nil)
	k.running.Store(s)
	defer k.running.Store(nil)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var work sync.WaitGroup
	work.Go(func() { s.Run(working) })
	<-ctx.Done()
	k.last(working, s)
	stop()
	work.Wait()
	return nil
}

// last takes a delta of what was written since the one before, unless snapshots fail anyhow.
func (k *Keeper) last(ctx context.Context, s *snapshotter.Snapshotter) {
	if s.State().Err != nil || k.Room.Low(false) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastTimeout)
	defer cancel()
	if _, err := s.Take(ctx, snapshot.Delta, false); err != nil {
		k.Log.Error(err, "The last changes are in no snapshot")
	}
}

// Full makes a full snapshot now.
func (k *Keeper) Full(ctx context.Context) error {
	s := k.running.Load()
	if s == nil {
		return fmt.Errorf("no snapshots of %s are made now", k.Name)
	}
	if _, err := s.Take(ctx, snapshot.Full, false); err != nil {
		return fmt.Errorf("make a snapshot of %s: %w", k.Name, err)
	}
	return nil
}

// Warning says why no snapshots are made. It is empty if they are.
func (k *Keeper) Warning() string {
	var err error
	if s := k.running.Load(); s != nil {
		err = s.State().Err
	} else if failed := k.failed.Load(); failed != nil {
		err = *failed
	}
	if err == nil {
		return ""
	}
	return "no snapshots are made: " + err.Error()
}
