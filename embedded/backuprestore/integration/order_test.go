package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

// thinsOutAfterJump takes a full snapshot each hour. The clock runs ahead for some hours, and is put back.
func thinsOutAfterJump(t *testing.T) {
	c := newClocked(t, noon, snapshotter.Config{})
	hourly := func(from, hours time.Duration) {
		for at := from; at < from+hours; at += time.Hour {
			c.put(at.String())
			c.clock.SetTime(noon.Add(at))
			c.eventually("a full snapshot", func() error { _, err := c.taker.Take(t.Context(), snapshot.Full, false); return err })
		}
	}
	hourly(time.Hour, 3*time.Hour)
	hourly(400*24*time.Hour, 5*time.Hour)
	hourly(8*time.Hour, 31*time.Hour)
	want := []string{"18 23:00:00", "19 23:00:00", "20 00:00:00", "20 01:00:00", "20 02:00:00"}
	if diff := cmp.Diff(want, c.taken(snapshot.Full)); diff != "" {
		t.Errorf("full snapshots at %s (-want +got):\n%s", c.clock.Now(), diff)
	}
}

// TestEarlierData puts the data of an etcd back to an earlier state, without its snapshots, as somebody does who restores the disk of a machine.
func TestEarlierData(t *testing.T) {
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h")
	m.start()
	m.write("one")
	m.take("full")
	m.end(syscall.SIGTERM)
	earlier := filepath.Join(t.TempDir(), "earlier")
	must(t, os.CopyFS(earlier, os.DirFS(m.data())))
	m.start()
	for i := range 20 {
		m.write(fmt.Sprint("lost-", i))
	}
	m.take("full")
	m.write("lost")
	m.take("delta")
	m.end(syscall.SIGKILL)
	must(t, os.RemoveAll(m.data()))
	must(t, os.CopyFS(m.data(), os.DirFS(earlier)))
	lost := m.snapshots()

	m.start()
	m.write("two")
	m.take("delta")
	t.Run("ETC-10 its snapshots come after those of the data that were there before, which are kept", func(t *testing.T) {
		m := m.in(t)
		want := m.write("three")
		m.take("delta")
		if diff := cmp.Diff(lost, m.snapshots()[:len(lost)]); diff != "" {
			t.Errorf("snapshots from before (-want +got):\n%s", diff)
		}
		m.comesBack(want)
	})
	t.Run("ETC-10 a restoration continues after the revisions of all snapshots, also of those that it cannot use", func(t *testing.T) {
		m := m.in(t)
		m.write("four")
		m.take("delta") // a full one, as the restored etcd is a billion revisions further
		m.take("full")
		newest := m.snapshots()[len(m.snapshots())-1]
		m.end(syscall.SIGKILL)
		for _, s := range m.snapshots() {
			if s.Generation == 1 {
				damage(t, m.path(s))
			}
		}
		must(t, os.RemoveAll(m.data()))
		m.start()
		response, err := m.etcd.Get(t.Context(), "lost")
		must(t, err)
		if len(response.Kvs) != 1 || response.Header.Revision < newest.End+1_000_000_000 {
			t.Errorf("revision %d with %d of 1 keys, and the newest snapshot is %+v", response.Header.Revision, len(response.Kvs), newest)
		}
		want := m.write("five")
		m.take("delta")
		m.comesBack(want)
	})
}

// TestOvertakenData puts the data of an etcd back to an earlier state, and lets the etcd write more than before without its store. So only the data
// themselves can tell that its snapshots are those of others.
func TestOvertakenData(t *testing.T) {
	m := newMember(t)
	stored := append(m.stored(), "--delta-period=1h")
	m.flags = stored
	m.start()
	m.write("kept")
	m.take("full")
	m.end(syscall.SIGTERM)
	earlier := filepath.Join(t.TempDir(), "earlier")
	must(t, os.CopyFS(earlier, os.DirFS(m.data())))
	m.start()
	m.write("lost")
	m.take("delta")
	m.end(syscall.SIGKILL)
	must(t, os.RemoveAll(m.data()))
	must(t, os.CopyFS(m.data(), os.DirFS(earlier)))
	lost := m.snapshots()

	m.flags = nil // as while the store cannot be reached
	m.start()
	for i := range 20 {
		m.write(fmt.Sprint("without-store-", i))
	}
	m.end(syscall.SIGKILL)
	m.flags = stored
	t.Run("ETC-10 data that were put back are noticed after they have overtaken the snapshots", func(t *testing.T) {
		m := m.in(t)
		m.start()
		want := m.write("after")
		m.take("delta")
		all := m.snapshots()
		if newest := all[len(all)-1]; newest.Generation != 1 || newest.End <= lost[len(lost)-1].End {
			t.Fatalf("the newest snapshot is %s, and %s before", newest.Key(), lost[len(lost)-1].Key())
		}
		if diff := cmp.Diff(lost, all[:len(lost)]); diff != "" {
			t.Errorf("snapshots from before (-want +got):\n%s", diff)
		}
		m.comesBack(want)
	})
	t.Run("ETC-10 data that were not put back go on with their generation after each kill and restoration", func(t *testing.T) {
		m := m.in(t)
		for i := range 3 {
			want := m.write(fmt.Sprint("more-", i))
			m.take([]string{"delta", "full"}[i%2])
			m.end(syscall.SIGKILL)
			m.start()
			m.has(want)
		}
		m.take("delta")
		all := m.snapshots()
		if newest := all[len(all)-1]; newest.Generation != 1 {
			t.Errorf("the newest snapshot is %s", newest.Key())
		}
	})
}
