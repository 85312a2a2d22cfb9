package integration

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/retention"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

// comesBack loses the data of the member, and compares what it restores.
func (m *member) comesBack(want map[string]string) {
	m.t.Helper()
	m.end(syscall.SIGKILL)
	must(m.t, os.RemoveAll(m.data()))
	m.start()
	m.has(want)
}

// TestBucketFaults writes to an etcd while its bucket fails in different ways. Writers notice nothing, and all is backed up afterwards.
func TestBucketFaults(t *testing.T) {
	server := s3test.Start(t, "bucket")
	credentials := t.TempDir()
	for name, content := range map[string]string{"accessKeyID": "id", "secretAccessKey": "confidential", "region": "here", "endpoint": server.URL, "s3ForcePathStyle": "true"} {
		must(t, os.WriteFile(filepath.Join(credentials, name), []byte(content), 0o600))
	}
	m := newMember(t)
	m.flags = []string{"--store-provider=S3", "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-credentials=" + credentials, "--delta-period=100ms"}
	m.start()
	m.write("before")
	m.take("full")
	for _, fault := range []struct {
		name   string
		refuse func(*http.Request, <-chan struct{}) (int, string)
	}{
		{"is unreachable", func(*http.Request, <-chan struct{}) (int, string) {
			return http.StatusServiceUnavailable, "ServiceUnavailable"
		}},
		{"is full", func(r *http.Request, _ <-chan struct{}) (int, string) {
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				return 0, ""
			}
			return http.StatusInsufficientStorage, "QuotaExceeded"
		}},
		{"is slow", func(_ *http.Request, healed <-chan struct{}) (int, string) {
			<-healed
			return 0, ""
		}},
	} {
		t.Run("ETC-8 ETC-10 the bucket "+fault.name, func(t *testing.T) {
			m := m.in(t)
			healed := make(chan struct{})
			heal := sync.OnceFunc(func() { close(healed) })
			defer heal()
			asked := make(chan struct{})
			first := sync.OnceFunc(func() { close(asked) })
			server.Refuse(func(r *http.Request) (int, string) {
				first()
				return fault.refuse(r, healed)
			})
			m.write("first " + fault.name)
			select {
			case <-asked:
			case <-time.After(time.Minute):
				t.Fatal("nobody asked the bucket")
			}
			var want map[string]string
			for i := range 20 {
				want = m.write(fmt.Sprint(fault.name, " ", i))
			}
			heal()
			server.Refuse(nil)
			m.take("delta")
			m.comesBack(want)
		})
	}
}

// TestSnapshotsWhileDefragmenting takes snapshots of an etcd that is defragmented and written to all the time.
func TestSnapshotsWhileDefragmenting(t *testing.T) {
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h")
	m.start()
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	defer busy.Wait()
	defer stop()
	defragmented := make(chan struct{}, 1000)
	busy.Go(func() {
		for ctx.Err() == nil {
			if _, err := m.etcd.Defragment(ctx, "http://"+m.client); err != nil {
				if ctx.Err() == nil {
					t.Errorf("defragment: %v", err)
				}
				return
			}
			select {
			case defragmented <- struct{}{}:
			default:
			}
		}
	})
	busy.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := m.etcd.Put(t.Context(), fmt.Sprint("key-", i%50), strings.Repeat("value", 1000)); err != nil { // not ctx: one that is given up may still be stored
				t.Errorf("write: %v", err)
				return
			}
		}
	})
	for range 5 {
		<-defragmented
		m.take("full")
		m.take("delta")
	}
	stop()
	busy.Wait()
	m.take("delta")
	want := m.contents()
	m.comesBack(want)
}

// clockJumps takes snapshots whose times are in another order than their revisions, and lets old ones be deleted meanwhile.
func clockJumps(t *testing.T) {
	c := newClocked(t, noon, snapshotter.Config{RetentionPeriod: 12 * time.Hour, Retention: retention.Policy{Name: retention.Exponential, Limit: 7}})
	for i, jump := range []struct {
		to   time.Duration // after noon
		kind snapshot.Kind
	}{
		{0, snapshot.Delta},
		{-3 * time.Hour, snapshot.Delta},
		{400 * 24 * time.Hour, snapshot.Delta},
		{24 * time.Hour, snapshot.Full},
		{-24 * time.Hour, snapshot.Delta},
		{-48 * time.Hour, snapshot.Full},
		{-72 * time.Hour, snapshot.Delta},
	} {
		revision := c.put(fmt.Sprint("value-", i))
		c.clock.SetTime(noon.Add(jump.to))
		c.eventually("a snapshot after a jump", func() error {
			if _, err := c.taker.Take(t.Context(), jump.kind, false); err != nil {
				return err
			}
			if all := c.snapshots(); !slices.ContainsFunc(all, func(s snapshot.Snapshot) bool { return s.End >= revision }) {
				return fmt.Errorf("revision %d is in none of %v", revision, all)
			}
			return nil
		})
		other := newMember(t)
		must(t, os.CopyFS(other.backups, os.DirFS(c.backups))) // it adds snapshots of its own time
		other.flags = other.stored()
		other.start()
		other.has(c.contents())
		other.end(syscall.SIGKILL)
	}
}
