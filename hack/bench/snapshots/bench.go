package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/snapshot"
	utilsnapshot "go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/compression"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/restore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
	"github.com/gardener-up/gardener-up/hack/bench/table"
)

// Names of a member that is restored, as etcdutl's defaults.
const (
	memberName = "default"
	memberURL  = "http://localhost:2380"
	// bump is what restore adds to the revision.
	bump = 1_000_000_000
	// timeout bounds one snapshot.
	timeout = 10 * time.Minute
	// writePause is between two writes that are measured.
	writePause = 5 * time.Millisecond
)

// uncompressed is how the peer takes snapshots, too.
const uncompressed = "none"

// algorithms are the compressions that can be measured.
var algorithms = []string{uncompressed, "gzip", "zstd"}

type bench struct {
	etcd       *etcd
	dir        string
	algorithms []string // that are measured

	taken, restored     map[string]stats.Sample // seconds, by algorithm
	saved, utilRestored stats.Sample
	writes              map[string]stats.Sample // milliseconds: the 99th percentile of each run
	writesWhileSaving   stats.Sample
}

// once measures each figure once, ours and that of the peer in turns.
func (b *bench) once(ctx context.Context) error {
	if b.taken == nil {
		b.taken, b.restored, b.writes = map[string]stats.Sample{}, map[string]stats.Sample{}, map[string]stats.Sample{}
	}
	work, err := os.MkdirTemp(b.dir, "run")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	file := filepath.Join(work, "saved.db")
	seconds, slow, err := b.whileWriting(ctx, func() error { return b.save(ctx, file) })
	if err != nil {
		return fmt.Errorf("etcdctl snapshot save: %w", err)
	}
	b.saved, b.writesWhileSaving = append(b.saved, seconds), append(b.writesWhileSaving, slow)
	seconds, err = took(func() error { return utilRestore(file, filepath.Join(work, "peer")) })
	if err != nil {
		return fmt.Errorf("etcdutl snapshot restore: %w", err)
	}
	b.utilRestored = append(b.utilRestored, seconds)
	for _, used := range []string{file, filepath.Join(work, "peer")} { // all begin with as much memory for files
		if err := os.RemoveAll(used); err != nil {
			return err
		}
	}
	for _, algorithm := range b.algorithms {
		if err := b.own(ctx, algorithm, filepath.Join(work, algorithm)); err != nil {
			return fmt.Errorf("with compression %s: %w", algorithm, err)
		}
	}
	return nil
}

// own takes a snapshot and restores it.
func (b *bench) own(ctx context.Context, algorithm, dir string) error {
	defer os.RemoveAll(dir)
	suffix, err := compression.Suffix(algorithm)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	opened, err := store.Open(ctx, store.Config{Provider: location.Local, Dir: dir, Container: "bucket", Prefix: "etcd"})
	if err != nil {
		return err
	}
	defer opened.Close()
	s := snapshotter.New(snapshotter.Config{Client: b.etcd.client, Store: opened, Suffix: suffix, Timeout: timeout, Log: logr.Discard()})
	seconds, slow, err := b.whileWriting(ctx, func() error { _, err := s.TakeFinal(ctx); return err })
	if err != nil {
		return err
	}
	b.taken[algorithm], b.writes[algorithm] = append(b.taken[algorithm], seconds), append(b.writes[algorithm], slow)
	seconds, err = took(func() error {
		_, err := restore.Run(ctx, restore.Config{
			Store: opened, Dir: filepath.Join(dir, "data"), Name: memberName, PeerURLs: []string{memberURL}, Cluster: memberName + "=" + memberURL, Token: "bench", Log: logr.Discard(),
		})
		return err
	})
	b.restored[algorithm] = append(b.restored[algorithm], seconds)
	return err
}

func (b *bench) save(ctx context.Context, file string) error {
	_, err := snapshot.SaveWithVersion(ctx, zap.NewNop(), clientv3.Config{Endpoints: b.etcd.client.Endpoints(), Logger: zap.NewNop()}, file)
	return err
}

func utilRestore(file, dir string) error {
	return utilsnapshot.NewV3(zap.NewNop()).Restore(utilsnapshot.RestoreConfig{
		SnapshotPath: file, OutputDataDir: dir, Name: memberName, PeerURLs: []string{memberURL}, InitialCluster: memberName + "=" + memberURL,
		InitialClusterToken: "bench", RevisionBump: bump, MarkCompacted: true,
	})
}

func took(do func() error) (seconds float64, err error) {
	begin := time.Now()
	err = do()
	return time.Since(begin).Seconds(), err
}

// whileWriting writes one value after the other meanwhile. slow is the 99th percentile of the time of a write, in milliseconds.
func (b *bench) whileWriting(ctx context.Context, do func() error) (seconds, slow float64, err error) {
	text, err := value()
	if err != nil {
		return 0, 0, err
	}
	writing, stop := context.WithCancel(ctx)
	var (
		writer  sync.WaitGroup
		times   stats.Sample
		failure error
	)
	writer.Go(func() {
		for writing.Err() == nil && failure == nil {
			one, err := took(func() error {
				_, err := b.etcd.client.Put(ctx, "/registry/configmaps/default/written", text)
				return err
			})
			times, failure = append(times, one*1000), err
			select {
			case <-writing.Done():
			case <-time.After(writePause):
			}
		}
	})
	seconds, err = took(do)
	stop()
	writer.Wait()
	if err == nil {
		err = failure
	}
	return seconds, times.Percentile(99), err
}

// target is what an issue or a design demands of a row.
const target = "≤ 1.3 times"

func (b *bench) rows() []table.Row {
	var rows []table.Row
	add := func(what, algorithm string, unit table.Unit, own map[string]stats.Sample, peer stats.Sample, target string) {
		rows = append(rows, table.Row{What: what + ", " + algorithm, Target: target, Unit: unit, Values: own[algorithm], Peer: peer, Comparable: true})
	}
	for _, algorithm := range b.algorithms {
		add("full snapshot", algorithm, table.Seconds, b.taken, b.saved, demanded(algorithm))
	}
	for _, algorithm := range b.algorithms {
		add("restoration", algorithm, table.Seconds, b.restored, b.utilRestored, demanded(algorithm))
	}
	for _, algorithm := range b.algorithms {
		add("p99 of writes meanwhile", algorithm, table.Milliseconds, b.writes, b.writesWhileSaving, "")
	}
	return rows
}

// demanded is the target of what the peer does, too: it does not compress.
func demanded(algorithm string) string {
	if algorithm == uncompressed {
		return target
	}
	return ""
}
