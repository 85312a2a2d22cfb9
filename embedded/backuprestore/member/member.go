// Package member runs one member of an etcd and backs it up, in one process. Before etcd starts, the package examines the data and
// restores them if they are lost or damaged.
//
// etcd and its backups share a process, because a separate process for the backups would take far more memory than they need.
package member

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/pkg/v3/osutil"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/leases"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/server"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/etcd/unborn"
)

// TLS are the files for a connection as a client of etcd. Empty names mean no TLS.
type TLS struct{ CA, Cert, Key string }

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
	// Leases report the state to Kubernetes; nil means none.
	Leases *leases.Reporter
	Log    logr.Logger
}

// lastDelta bounds the delta that is taken when the process is told to end.
const lastDelta = 10 * time.Second

// Run runs the member until the process is told to end, and ends the process. It returns only if etcd cannot be started.
func Run(ctx context.Context, config Config) error {
	m := &member{config: config, flags: config.Etcd}
	if err := m.flags.validate(); err != nil {
		return err
	}
	if config.Store.Provider != "" {
		opened, err := store.Open(ctx, config.Store)
		if err != nil {
			return err
		}
		m.store = opened
	}
	if config.Server.Address != "" {
		config.Server.State = m
		if err := server.Start(config.Server); err != nil {
			return err
		}
	}
	if _, err := unborn.Discard(m.flags.dir()); err != nil {
		return err
	}
	flags, err := m.prepare(ctx)
	if err != nil {
		m.failed.Store(true)
		return err
	}
	m.prepared.Store(true)
	osutil.RegisterInterruptHandler(m.stop) // runs before etcd's own, so etcd still answers
	go m.backUp(context.WithoutCancel(ctx))
	etcdmain.Main(append([]string{"etcd"}, flags...)) // ends the process itself
	return nil
}

// member is the state of Run. It implements server.State.
type member struct {
	config  Config
	flags   Flags
	store   *store.Store
	cluster string // initial-cluster after joining

	prepared, failed, running, leads atomic.Bool
	snapshotter                      atomic.Pointer[snapshotter.Snapshotter]
}

func (m *member) clientConfig(endpoints []string, host string) (clientv3.Config, error) {
	config := clientv3.Config{Endpoints: endpoints, DialTimeout: answerTimeout, Logger: zap.NewNop(), DialKeepAliveTime: time.Minute}
	if m.config.Client.CA == "" {
		return config, nil
	}
	tls, err := transport.TLSInfo{
		TrustedCAFile: m.config.Client.CA, CertFile: m.config.Client.Cert, KeyFile: m.config.Client.Key,
	}.ClientConfig()
	if err != nil {
		return config, fmt.Errorf("TLS of etcd's clients: %w", err)
	}
	config.TLS = tls
	if host != "" { // gRPC verifies the authority and ignores the server name of the TLS configuration
		config.DialOptions = []grpc.DialOption{grpc.WithAuthority(host)}
	}
	return config, nil
}

// backUp waits until etcd answers and backs it up.
func (m *member) backUp(ctx context.Context) {
	endpoint, host, err := m.flags.endpoint()
	if err != nil {
		m.config.Log.Error(err, "No backups are made")
		return
	}
	config, err := m.clientConfig([]string{endpoint}, host)
	if err != nil {
		m.config.Log.Error(err, "No backups are made")
		return
	}
	client, err := clientv3.New(config)
	if err != nil {
		m.config.Log.Error(err, "No backups are made")
		return
	}
	watch := &observer{member: m, client: client, endpoint: endpoint}
	watch.untilRunning(ctx)
	osutil.RegisterInterruptHandler(m.stopped) // runs after etcd's own
	backups := m.config.Backups
	backups.Client, backups.Endpoint, backups.Store, backups.Leads, backups.Log = client, endpoint, m.store, m.leads.Load, m.config.Log
	backups.SpoolDir = filepath.Join(filepath.Dir(m.flags.dir()), "spool")
	s := snapshotter.New(backups)
	m.snapshotter.Store(s)
	go watch.run(ctx)
	s.Run(ctx)
}

// stop takes a last delta.
func (m *member) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), lastDelta)
	defer cancel()
	if s := m.snapshotter.Load(); s != nil && m.store != nil && m.leads.Load() {
		if _, err := s.Take(ctx, snapshot.Delta, false); err != nil {
			m.config.Log.Error(err, "The last changes are not backed up")
		}
	}
}

// stopped notes that etcd was stopped in order.
func (m *member) stopped() {
	path := filepath.Join(filepath.Dir(m.flags.dir()), cleanFile)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		m.config.Log.Error(err, "It cannot be noted that etcd was stopped in order")
	}
}
