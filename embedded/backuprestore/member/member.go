// Package member runs one member of an etcd and backs it up, in one process. Before etcd starts, the package examines the data and
// restores them if they are lost or damaged.
//
// etcd and its backups share a process, because a separate process for the backups would take far more memory than they need.
package member

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/pkg/v3/osutil"
	"go.etcd.io/etcd/server/v3/etcdmain"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/leases"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/server"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/etcd/hangup"
	"github.com/gardener-up/gardener-up/embedded/etcd/unborn"
	"github.com/gardener-up/gardener-up/embedded/reexec"
)

// Config of a member.
type Config struct {
	// Etcd are etcd's own flags.
	Etcd []string
	// Client are the files for connections to etcd as a client.
	Client TLS
	// Store configures where backups are stored. Without a provider there are no backups.
	Store store.Config
	// Backups configures schedules, periods and limits of backups. The member sets the other fields.
	Backups snapshotter.Config
	// Server configures the server for the state of the member. Without an address nothing is served.
	Server server.Config
	// Owner checks who owns the etcd, which stops when it loses its owner.
	Owner owner.Check
	// Leader configures how the member looks at who leads.
	Leader LeaderCheck
	// Beside runs beside an etcd that serves clients; nil means nothing.
	Beside func()
	// Leases report the state to Kubernetes; nil means none.
	Leases *leases.Reporter
	Log    logr.Logger
}

// lastDelta bounds the delta that is taken when the process is told to end.
const lastDelta = 10 * time.Second

// Run runs the member until the process is told to end, and ends the process. It returns only if etcd cannot be started.
func Run(ctx context.Context, config Config) error {
	m := &member{config: config, flags: ownFlags{config.Etcd}, signals: make(chan os.Signal, 2), look: make(chan struct{}, 1)}
	m.config.Owner.Now = m.look
	if err := m.flags.validate(); err != nil {
		return err
	}
	if config.Store.Provider != "" && !m.flags.alone() {
		m.config.Owner.Others = others{m}
	}
	m.memory = memory{dir: filepath.Dir(m.flags.dir()), check: m.config.Owner}
	if config.Server.Address != "" {
		config.Server.State = m
		if err := server.Start(config.Server); err != nil {
			return err
		}
	}
	if err := m.open(ctx); err != nil {
		return err
	}
	if _, err := unborn.Discard(m.flags.dir()); err != nil {
		return err
	}
	begin := m.serve
	if config.Owner.On() {
		final, err := m.claim(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && final {
			begin, err = m.release, m.withdraw()
		}
		if err != nil {
			return err
		}
		m.withdrawn.Store(final)
	}
	flags, err := (&preparation{flags: m.flags, store: m.store, client: config.Client, log: config.Log}).run(ctx)
	if err != nil {
		m.failed.Store(true)
		return err
	}
	m.prepared.Store(true)
	osutil.RegisterInterruptHandler(m.stop) // runs before etcd's own, so etcd still answers
	hangup.OnInterrupt(flags, config.Log)
	if config.Beside != nil && !m.withdrawn.Load() {
		go config.Beside()
	}
	go begin(context.WithoutCancel(ctx))
	etcdmain.Main(append([]string{"etcd"}, flags...)) // ends the process itself
	return nil
}

// member is the state of Run. It implements server.State.
type member struct {
	config Config
	flags  ownFlags
	memory memory
	store  *store.Store // for others than Run once it is opened

	opened, prepared, failed, running, leads atomic.Bool
	snapshotter                              atomic.Pointer[snapshotter.Snapshotter]
	backups                                  atomic.Pointer[backups]
	serving                                  atomic.Pointer[serving] // nil until etcd answers

	// withdrawn means that the etcd has no owner here, and must not serve clients.
	withdrawn atomic.Bool
	// look makes the member ask for its owner at once. asked means that somebody has wanted that.
	look  chan struct{}
	asked atomic.Bool
	// anew means that the process begins anew when etcd has stopped, unless it is told to end. ending means that it was told so before.
	// signals are those that tell it to stop.
	anew    atomic.Bool
	ending  atomic.Bool
	signals chan os.Signal
}

// open opens the store, if there is one. If the etcd has another owner, nothing else can be done than to wait for the store.
func (m *member) open(ctx context.Context) error {
	for reported := false; m.config.Store.Provider != ""; reported = true {
		opened, err := store.Open(ctx, m.config.Store)
		if err == nil {
			m.store = opened
			break
		}
		check := m.config.Owner
		if !check.On() {
			return err
		}
		if answer, _ := m.memory.owner(ctx); answer != owner.Other {
			return err
		}
		if !reported {
			m.config.Log.Error(err, "The etcd has another owner, and the final snapshot cannot be taken yet")
		}
		if !check.Pause(ctx, finalPause) {
			return err
		}
	}
	m.opened.Store(true)
	return nil
}

// client is a client of this member only.
func (m *member) client() (client *clientv3.Client, endpoint string, err error) {
	at, err := m.flags.Endpoint()
	if err != nil {
		return nil, "", err
	}
	host, err := m.flags.Host()
	if err != nil {
		return nil, "", err
	}
	config, err := m.config.Client.config([]string{at.String()}, host)
	if err != nil {
		return nil, "", err
	}
	client, err = clientv3.New(config)
	return client, at.String(), err
}

// stop takes a last delta, unless the etcd has no owner here: its final snapshot has all changes. Then it ends the backups, so
// that etcd need not wait for their client.
func (m *member) stop() {
	m.ending.Store(!m.anew.Load())
	defer func() {
		if running := m.backups.Load(); running != nil {
			running.stop()
		}
	}()
	if m.withdrawn.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastDelta)
	defer cancel()
	if s := m.snapshotter.Load(); s != nil && m.store != nil && m.leads.Load() {
		if _, err := s.Take(ctx, snapshot.Delta, false); err != nil {
			m.config.Log.Error(err, "The last changes are not backed up")
		}
	}
}

// stopped notes that etcd was stopped in order, and begins anew if that is wanted.
func (m *member) stopped() {
	path := filepath.Join(filepath.Dir(m.flags.dir()), cleanFile)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		m.config.Log.Error(err, "It cannot be noted that etcd was stopped in order")
	}
	if m.anew.Load() && len(m.signals) < 2 { // the second one is not from this process
		err := reexec.Self()
		m.config.Log.Error(err, "The process ends, because it cannot begin anew by itself")
	}
}

// beginAnew stops etcd in order, and starts this process again in its place. A library that can only run one etcd until the process ends
// leaves no other way.
func (m *member) beginAnew() {
	if m.ending.Load() {
		return
	}
	m.anew.Store(true)
	signal.Notify(m.signals, syscall.SIGTERM, syscall.SIGINT)
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		m.config.Log.Error(err, "The etcd cannot be stopped")
	}
}
