package snapshots_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const name = "etcd-garden"

func TestMain(m *testing.M) {
	wal.SegmentSizeBytes = 1 << 20
	goleak.VerifyTestMain(m)
}

// room is on the disk, or not.
type room struct{ err error }

func (r room) Low(bool) error { return r.err }

// landscape is a state directory with an etcd.
type landscape struct {
	*testing.T
	paths   paths.Paths
	certs   pki.Etcd
	port    int
	cluster string // the ID that the etcd had last
	room    room
}

func newLandscape(t *testing.T) *landscape {
	t.Helper()
	dir, err := os.MkdirTemp("", "snapshots")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p, err := paths.New(dir)
	check(t, err)
	check(t, p.Create())
	bundle, err := pki.New(p.PKI(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now).Ensure()
	check(t, err)
	return &landscape{T: t, paths: p, certs: bundle.Etcd, port: testport.Free(t)}
}

// stored is what the data of the etcd depend on.
func (l *landscape) stored() etcd.Config {
	return etcd.Config{Name: name, DataDir: l.paths.Etcd(name), Token: "local-1/" + name}
}

// run runs the etcd with its snapshots while do uses it.
func (l *landscape) run(do func(client *clientv3.Client, keeper *snapshots.Keeper)) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), time.Minute)
	defer cancel()
	config := l.stored()
	config.ClientPort, config.Log = l.port, logr.Discard()
	config.CAFile, config.CertFile, config.KeyFile = l.certs.CA, l.certs.Server.Cert, l.certs.Server.Key
	config.Made = func(cluster string) error { l.cluster = cluster; return nil }
	keeper := &snapshots.Keeper{
		Access: snapshots.Access{Endpoint: config.Endpoint(), CA: l.certs.CA, Cert: l.certs.Client.Cert, Key: l.certs.Client.Key},
		Paths:  l.paths, Name: name, Quota: etcd.DefaultQuota, Room: l.room, Log: logr.Discard(),
	}
	config.Beside = keeper.Run
	server := etcd.New(config)
	check(l.T, server.Start(ctx))
	testwait.Until(l.T, "etcd is ready", func() error {
		select {
		case <-server.Done():
			l.Fatal(server.Err())
		default:
		}
		return server.Ready(ctx)
	})
	tls, err := transport.TLSInfo{TrustedCAFile: l.certs.CA, CertFile: l.certs.Client.Cert, KeyFile: l.certs.Client.Key}.ClientConfig()
	check(l.T, err)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{config.Endpoint()}, TLS: tls, Logger: zap.NewNop()})
	check(l.T, err)
	do(client, keeper)
	check(l.T, client.Close())
	check(l.T, server.Stop(ctx))
}

func (l *landscape) list() []snapshot.Snapshot {
	l.Helper()
	all, err := snapshots.List(l.Context(), l.paths, name)
	check(l.T, err)
	return all
}

// write writes so many keys, and waits until there is a snapshot.
func (l *landscape) write(keys int) {
	l.Helper()
	l.run(func(client *clientv3.Client, _ *snapshots.Keeper) {
		for i := range keys {
			_, err := client.Put(l.Context(), fmt.Sprint("key-", i), fmt.Sprint("value-", i))
			check(l.T, err)
		}
		testwait.Until(l.T, "there is a snapshot", func() error {
			if len(l.list()) == 0 {
				return errors.New("there is none")
			}
			return nil
		})
	})
}

// expect checks that the etcd has so many keys.
func (l *landscape) expect(keys int) {
	l.Helper()
	l.run(func(client *clientv3.Client, _ *snapshots.Keeper) {
		found, err := client.Get(l.Context(), "key-", clientv3.WithPrefix())
		check(l.T, err)
		if len(found.Kvs) != keys {
			l.Errorf("%d keys, want %d", len(found.Kvs), keys)
		}
		for _, kv := range found.Kvs {
			if want := strings.Replace(string(kv.Key), "key", "value", 1); string(kv.Value) != want {
				l.Errorf("%s is %q, want %q", kv.Key, kv.Value, want)
			}
		}
	})
}

func (l *landscape) restore(cluster string) (snapshots.Restored, error) {
	return snapshots.Restoration{Paths: l.paths, Etcd: l.stored(), Cluster: cluster, Now: time.Unix(0, 0), Log: logr.Discard()}.Run(l.Context())
}

func TestRestore(t *testing.T) {
	t.Run("APP-4 an etcd that is lost comes back with all that was written before it was stopped", func(t *testing.T) {
		l := newLandscape(t)
		l.write(50)
		before := l.cluster
		check(t, os.RemoveAll(l.paths.Etcd(name)))
		made, err := l.restore(before)
		check(t, err)
		if made.Former != "" {
			t.Errorf("former data are in %s", made.Former)
		}
		l.expect(50)
		if l.cluster != before {
			t.Errorf("the cluster is %s, was %s", l.cluster, before)
		}
	})
	t.Run("APP-4 the data that are there are set aside, and those of a second time, too", func(t *testing.T) {
		l := newLandscape(t)
		l.write(5)
		mark := filepath.Join(l.paths.Etcd(name), "mark")
		check(t, os.WriteFile(mark, nil, 0o600))
		made, err := l.restore(l.cluster)
		check(t, err)
		if _, err := os.Stat(filepath.Join(made.Former, "mark")); err != nil {
			t.Error(err)
		}
		l.expect(5)
		l.write(9)
		check(t, os.RemoveAll(made.Former))
		_, err = l.restore(l.cluster)
		check(t, err)
		l.expect(9)
	})
	t.Run("APP-4 nothing changes without snapshots, and for a landscape whose data they are not", func(t *testing.T) {
		l := newLandscape(t)
		if _, err := l.restore(""); !errors.Is(err, snapshots.ErrNone) {
			t.Errorf("without snapshots: %v", err)
		}
		l.write(1)
		if _, err := l.restore("1234"); err == nil || !strings.Contains(err.Error(), "1234") {
			t.Errorf("another cluster: %v", err)
		}
		l.expect(1)
		if entries, err := os.ReadDir(l.paths.Etcd("")); err != nil || len(entries) != 1 {
			t.Errorf("beside the data are %v, %v", entries, err)
		}
	})
}

func TestKeeper(t *testing.T) {
	t.Run("APP-5 no snapshots take what room a disk still has", func(t *testing.T) {
		l := newLandscape(t)
		l.room.err = errors.New("128 MiB are free")
		l.run(func(client *clientv3.Client, _ *snapshots.Keeper) {
			_, err := client.Put(t.Context(), "key-0", "value-0")
			check(t, err)
		})
		if all := l.list(); len(all) > 0 {
			t.Errorf("snapshots %v", all)
		}
		l.room.err = nil
		l.write(1)
	})
	t.Run("APP-10 a warning tells why no snapshots are made", func(t *testing.T) {
		l := newLandscape(t)
		check(t, os.WriteFile(l.paths.Snapshots(), nil, 0o600)) // no directory
		l.run(func(_ *clientv3.Client, keeper *snapshots.Keeper) {
			testwait.Until(t, "it warns", func() error {
				if text := keeper.Warning(); !strings.Contains(text, "no snapshots are made: ") || !strings.Contains(text, "not a directory") {
					return fmt.Errorf("the warning is %q", text)
				}
				return nil
			})
		})
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
