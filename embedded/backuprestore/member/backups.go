package member

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/pkg/v3/osutil"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

// lastStream bounds the end of the backups when the process is told to end.
const lastStream = time.Second

// serve waits until etcd answers and backs it up, until it loses its owner.
func (m *member) serve(ctx context.Context) {
	client, endpoint, err := m.client()
	if err != nil {
		m.config.Log.Error(err, "No backups are made")
		return
	}
	watch := &observer{member: m, client: client, endpoint: endpoint}
	watch.untilRunning(ctx)
	m.serving.Store(&serving{client: client, endpoint: endpoint})
	osutil.RegisterInterruptHandler(m.stopped) // runs after etcd's own
	s := snapshotter.New(m.configure(client, endpoint))
	m.snapshotter.Store(s)
	ctx, cancel := context.WithCancel(ctx)
	running := &backups{cancel: cancel, ended: make(chan struct{})}
	m.backups.Store(running)
	defer close(running.ended)
	defer client.Close()
	defer cancel()
	if m.config.Owner.On() {
		go m.guard(ctx, cancel)
	}
	go watch.run(ctx)
	s.Run(ctx)
}

// serving is how an etcd that serves clients is asked about itself.
type serving struct {
	client   *clientv3.Client
	endpoint string
}

// backups are those that run beside an etcd.
type backups struct {
	cancel context.CancelFunc
	ended  chan struct{} // closed when their client is
}

// stop ends them, and waits a little until they have no stream of changes any longer.
func (b *backups) stop() {
	b.cancel()
	select {
	case <-b.ended:
	case <-time.After(lastStream):
	}
}

// longestChains is how many quotas all snapshots may have by default: a full snapshot has one at most, and so do its deltas. So there is
// always room for what is needed to restore, whatever users write.
const longestChains = 2

// configure configures the backups of the running etcd.
func (m *member) configure(client *clientv3.Client, endpoint string) snapshotter.Config {
	out := m.config.Backups
	out.Client, out.Endpoint, out.Store, out.Leads, out.Log = client, endpoint, m.store, m.leads.Load, m.config.Log
	out.Quota = m.flags.quota()
	out.Retention.Bytes = cmp.Or(out.Retention.Bytes, longestChains*out.Quota)
	out.SpoolDir = filepath.Join(filepath.Dir(m.flags.dir()), "spool")
	if m.flags.alone() {
		out.Known = known.In(m.flags.dir())
	}
	return out
}
