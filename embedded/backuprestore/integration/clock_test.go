package integration

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	clientv3 "go.etcd.io/etcd/client/v3"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/retention"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// noon is when most clocks of these tests begin, on a Wednesday.
var noon = time.Date(2026, 3, 18, 12, 0, 0, 0, time.UTC)

// clocked is a member whose backups follow a clock of the test.
type clocked struct {
	*member
	clock *clocktesting.FakeClock
	taker *snapshotter.Snapshotter
	// waits is how many times the Snapshotter waits for when it has nothing to do.
	waits int
}

// newClocked starts a member, and a Snapshotter of it in this process. The fields of the configuration that are about time are left as
// they are.
func newClocked(t *testing.T, begin time.Time, config snapshotter.Config) *clocked {
	t.Helper()
	c := &clocked{member: newMember(t), clock: clocktesting.NewFakeClock(begin), waits: 3} // for a delta, a full snapshot, another leader
	c.start()
	opened, err := store.Open(t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: c.backups})
	must(t, err)
	config.Client, config.Endpoint, config.Store, config.Clock = c.etcd, "http://"+c.client, opened, c.clock
	config.SpoolDir, config.Log, config.Leads = t.TempDir(), logr.Discard(), func() bool { return true }
	config.DeltaLimit, config.Timeout, config.DefragmentationTimeout = 100<<20, time.Minute, time.Minute
	if config.DeltaPeriod == 0 {
		config.DeltaPeriod = 1000 * time.Hour
	}
	if config.RetentionPeriod > 0 {
		c.waits++
	}
	if config.Defragmentation != nil {
		c.waits++
	}
	c.taker = snapshotter.New(config)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.taker.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		_ = opened.Close()
	})
	c.settle()
	return c
}

// settle waits until everything that is due is done.
func (c *clocked) settle() {
	c.t.Helper()
	c.eventually("nothing is due", func() error {
		if got := c.clock.Waiters(); got != c.waits {
			return fmt.Errorf("%d things are waited for, want %d", got, c.waits)
		}
		return nil
	})
}

// step moves the clock.
func (c *clocked) step(d time.Duration) {
	c.t.Helper()
	c.clock.Step(d)
	c.settle()
}

func (c *clocked) put(value string) (revision int64) {
	c.t.Helper()
	response, err := c.etcd.Put(c.t.Context(), "key", value)
	must(c.t, err)
	return response.Header.Revision
}

// taken are the times of all snapshots of a kind.
func (c *clocked) taken(kind snapshot.Kind) (times []string) {
	c.t.Helper()
	for _, s := range c.snapshots() {
		if s.Kind == kind {
			times = append(times, s.Created.Format("2 15:04:05"))
		}
	}
	return times
}

func schedule(t *testing.T, text string) cron.Schedule {
	t.Helper()
	parsed, err := cron.ParseStandard(text)
	must(t, err)
	return parsed
}

// TestClock lets days pass for a member.
func TestClock(t *testing.T) {
	t.Run("ETC-7 a full snapshot is taken at its time of each day", fullBySchedule)
	t.Run("ETC-8 changes are backed up every five minutes", deltasByTime)
	t.Run("ETC-9 twice a day old snapshots are deleted", retentionTwiceADay)
	t.Run("ETC-11 the database is defragmented at its time of each third day", defragmentationBySchedule)
	t.Run("ETC-10 nothing is lost when the clock jumps", clockJumps)
	t.Run("ETC-9 snapshots thin out after the clock ran ahead and was put back", thinsOutAfterJump)
}

func fullBySchedule(t *testing.T) {
	c := newClocked(t, noon, snapshotter.Config{Full: schedule(t, "30 22 * * *"), Retention: retention.Policy{Name: retention.LimitBased, Limit: 100}})
	var want []string
	for _, next := range []struct {
		step  time.Duration
		taken string // if one is due
	}{
		{0, "18 12:00:00"}, // the first one of all
		{10*time.Hour + 29*time.Minute, ""},
		{time.Minute, "18 22:30:00"},
		{time.Minute, ""},
		{24*time.Hour - 2*time.Minute, ""},
		{time.Minute, "19 22:30:00"},
		{24 * time.Hour, "20 22:30:00"},
	} {
		c.put(next.taken)
		c.step(next.step)
		if next.taken != "" {
			want = append(want, next.taken)
		}
		if diff := cmp.Diff(want, c.taken(snapshot.Full)); diff != "" {
			t.Fatalf("full snapshots at %s (-want +got):\n%s", c.clock.Now(), diff)
		}
	}
}

func deltasByTime(t *testing.T) {
	c := newClocked(t, noon, snapshotter.Config{DeltaPeriod: 5 * time.Minute})
	c.step(5 * time.Minute)
	if got := c.taken(snapshot.Delta); len(got) > 0 {
		t.Errorf("deltas without a change: %v", got)
	}
	for range 2 {
		revision := c.put("value")
		before := len(c.snapshots())
		c.step(5*time.Minute - time.Second)
		if all := c.snapshots(); len(all) > before {
			t.Fatalf("a delta is taken early: %v", all)
		}
		c.clock.Step(time.Second)
		c.eventually("the change is backed up", func() error {
			if all := c.snapshots(); all[len(all)-1].End >= revision {
				return nil
			}
			c.step(5 * time.Minute) // etcd may tell a change late
			return fmt.Errorf("snapshots %v", c.snapshots())
		})
		all := c.snapshots()
		if last := all[len(all)-1]; last.Kind != snapshot.Delta || last.Created.Sub(noon)%(5*time.Minute) != 0 {
			t.Errorf("snapshots %v", all)
		}
	}
}

// aging are snapshots of a long life and whether they are kept at half past twelve of the same day.
var aging = map[string]bool{
	"F 2026-02-15 23:00": false, // more than four weeks ago
	"F 2026-02-16 01:00": false, "F 2026-02-22 01:00": true,
	"F 2026-03-02 01:00": false, "F 2026-03-03 01:00": true,
	"F 2026-03-11 01:00": false, "F 2026-03-11 22:00": true,
	"F 2026-03-17 00:10": false, "D 2026-03-17 00:20": false, "F 2026-03-17 23:50": true,
	"F 2026-03-18 09:05": false, "D 2026-03-18 09:10": false, "F 2026-03-18 09:55": true, "D 2026-03-18 09:58": false,
	"F 2026-03-18 11:05": true, "D 2026-03-18 11:10": true, "F 2026-03-18 11:55": true,
}

// store writes a snapshot without a content that somebody could use. Its name is a letter for its kind, and its time.
func (m *member) store(name string) {
	m.t.Helper()
	at, err := time.Parse("2006-01-02 15:04", name[2:])
	must(m.t, err)
	minutes := int64(at.Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) / time.Minute)
	made := snapshot.Snapshot{Kind: snapshot.Full, End: 1 + minutes, Created: at} // one revision a minute
	if strings.HasPrefix(name, "D") {
		made.Kind, made.Start = snapshot.Delta, made.End
	}
	opened, err := store.Open(m.t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: m.backups})
	must(m.t, err)
	defer opened.Close()
	_, err = opened.Write(m.t.Context(), made, func(w io.Writer) error { _, err := io.WriteString(w, name); return err })
	must(m.t, err)
}

// aged are the stored snapshots that are in the map.
func (m *member) aged() map[string]bool {
	m.t.Helper()
	out := map[string]bool{}
	for _, s := range m.snapshots() {
		name := "F " + s.Created.Format("2006-01-02 15:04")
		if s.Kind == snapshot.Delta {
			name = "D" + name[1:]
		}
		if _, known := aging[name]; known {
			out[name] = true
		}
	}
	return out
}

func retentionTwiceADay(t *testing.T) {
	c := newClocked(t, time.Date(2026, 3, 18, 0, 30, 0, 0, time.UTC), snapshotter.Config{RetentionPeriod: 12 * time.Hour})
	all, kept := map[string]bool{}, map[string]bool{}
	for name, keeps := range aging {
		c.store(name)
		all[name] = true
		if keeps {
			kept[name] = true
		}
	}
	c.step(12*time.Hour - time.Minute)
	if diff := cmp.Diff(all, c.aged()); diff != "" {
		t.Errorf("snapshots before the time (-want +got):\n%s", diff)
	}
	c.step(time.Minute)
	if diff := cmp.Diff(kept, c.aged()); diff != "" {
		t.Errorf("snapshots after the time (-want +got):\n%s", diff)
	}
}

func defragmentationBySchedule(t *testing.T) {
	c := newClocked(t, noon, snapshotter.Config{Defragmentation: schedule(t, "30 22 */3 * *")})
	c.fill()
	before := c.size()
	c.step(34*time.Hour + 29*time.Minute)
	if now := c.size(); now < before {
		t.Errorf("the database had %d bytes, and has %d before the time", before, now)
	}
	c.step(time.Minute) // half past ten in the evening of the 19th, a third day
	if now := c.size(); now > before/2 {
		t.Errorf("the database had %d bytes, and has %d after the defragmentation", before, now)
	}
}

// filled is how large the database is at least after fill, until it is defragmented.
const filled = 16 << 20

// fill leaves space in the database that a defragmentation returns.
func (m *member) fill() {
	m.t.Helper()
	value := strings.Repeat("v", 1<<20)
	for range 16 {
		_, err := m.etcd.Put(m.t.Context(), "much", value)
		must(m.t, err)
	}
	deleted, err := m.etcd.Delete(m.t.Context(), "much")
	must(m.t, err)
	_, err = m.etcd.Compact(m.t.Context(), deleted.Header.Revision, clientv3.WithCompactPhysical())
	must(m.t, err)
}

// size is that of the database.
func (m *member) size() int64 {
	m.t.Helper()
	status, err := m.etcd.Status(m.t.Context(), "http://"+m.client)
	must(m.t, err)
	return status.DbSize
}
