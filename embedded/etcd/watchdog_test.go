package etcd

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
)

// fakeMember is an etcd whose state a test sets. It notes what was ordered.
type fakeMember struct {
	now     observation
	ordered []string
}

func (f *fakeMember) observe(context.Context) (observation, error) { return f.now, nil }

func (f *fakeMember) compact(context.Context, int64) error {
	f.ordered = append(f.ordered, "compact")
	return nil
}

func (f *fakeMember) defragment(context.Context) error {
	f.ordered = append(f.ordered, "defragment")
	f.now.Size = f.now.InUse
	return nil
}

func (f *fakeMember) disarm(context.Context) error {
	f.ordered = append(f.ordered, "disarm")
	f.now.armed = false
	return nil
}

func TestWatchdog(t *testing.T) {
	const quota = 1 << 30
	rest := observation{Usage: Usage{InUse: 40 << 20, Size: 100 << 20, Quota: quota}, revision: 1000, limit: quota}
	for name, tc := range map[string]struct {
		now  func(*observation)
		want []string
	}{
		"APP-5 at rest, a database of which more than half is free is defragmented": {func(*observation) {}, []string{"defragment"}},
		"APP-5 it is not while somebody writes":                                     {func(o *observation) { o.revision += restWrites + 1 }, nil},
		"APP-5 a database of which half is in use stays":                            {func(o *observation) { o.InUse = 60 << 20 }, nil},
		"APP-5 a small database stays":                                              {func(o *observation) { o.InUse, o.Size = 1<<20, restSize }, nil},
		"APP-5 a database as large as its quota is defragmented also during writes": {func(o *observation) { o.Size, o.revision = quota*92/100, o.revision+1000 }, []string{"defragment"}},
		"APP-5 a full one is compacted":                                             {func(o *observation) { o.InUse, o.Size, o.revision = quota*85/100, quota*85/100, o.revision+1 }, []string{"compact"}},
		"APP-5 one that warns is compacted again, though nothing was written":       {func(o *observation) { o.InUse, o.Size = quota*75/100, quota*85/100 }, []string{"compact"}},
		"APP-5 the alarm is disarmed when there is room":                            {func(o *observation) { o.armed, o.Size, o.revision = true, 60<<20, o.revision+1 }, []string{"compact", "disarm"}},
		"APP-5 the alarm stays as long as there is none":                            {func(o *observation) { o.armed, o.InUse, o.Size, o.revision = true, quota*99/100, quota, o.revision+1 }, []string{"compact"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// What was compacted and defragmented long ago does not count any more.
				time.Sleep(2 * restPause)
				etcd := &fakeMember{now: rest}
				dog := &watchdog{member: etcd, log: logr.Discard(), seen: rest.revision}
				dog.compacted.revision, dog.compacted.inUse = rest.revision, rest.InUse
				tc.now(&etcd.now)
				if err := dog.look(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(etcd.ordered, tc.want) {
					t.Errorf("it orders %v, want %v", etcd.ordered, tc.want)
				}
			})
		})
	}
	t.Run("APP-5 at rest, one that warns is compacted once a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(2 * restPause)
			etcd := &fakeMember{now: observation{Usage: Usage{InUse: quota * 75 / 100, Size: quota * 80 / 100, Quota: quota}, revision: 1000, limit: quota}}
			dog := &watchdog{member: etcd, log: logr.Discard()}
			for range 600 { // ten minutes, in seconds
				if err := dog.look(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tendInterval)
			}
			if len(etcd.ordered) != 10 {
				t.Errorf("it orders %d times in ten minutes", len(etcd.ordered))
			}
		})
	})
	t.Run("APP-5 at rest, it defragments once an hour at most", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(2 * restPause)
			etcd := &fakeMember{now: rest}
			dog := &watchdog{member: etcd, log: logr.Discard(), seen: rest.revision}
			dog.compacted.revision, dog.compacted.inUse = rest.revision, rest.InUse
			for range 7200 { // two hours, in seconds
				etcd.now.Size = rest.Size
				if err := dog.look(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tendInterval)
			}
			if len(etcd.ordered) != 2 {
				t.Errorf("it orders %d times in two hours", len(etcd.ordered))
			}
		})
	})
}

func TestLimitsOfMemory(t *testing.T) {
	t.Run("APP-5 few transactions are kept in memory and in the log", func(t *testing.T) {
		config := Config{Name: "e", DataDir: "/d", ClientPort: 1, CAFile: "/a", CertFile: "/c", KeyFile: "/k"}
		made, err := config.embedded()
		if err != nil {
			t.Fatal(err)
		}
		if made.SnapshotCount != 1000 || made.SnapshotCatchUpEntries != 1 {
			t.Errorf("%d transactions are kept in the log, %d in memory", made.SnapshotCount, made.SnapshotCatchUpEntries)
		}
	})
}
