package integration

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
)

// copied are the stores of a copy: that of the seed that a shoot comes from, and that of its new seed.
type copied struct {
	t              *testing.T
	source, target string
}

func (c copied) open(dir string) *store.Store {
	c.t.Helper()
	opened, err := store.Open(c.t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: dir})
	must(c.t, err)
	c.t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// add stores a snapshot of the source.
func (c copied) add(s snapshot.Snapshot) {
	c.t.Helper()
	_, err := c.open(c.source).Write(c.t.Context(), s, func(w io.Writer) error { _, err := io.WriteString(w, "content"); return err })
	must(c.t, err)
}

// run copies as the Job of a task does, and waits for the final snapshot as long as it is told to.
func (c copied) run(ctx context.Context, wait time.Duration) error {
	cmd := backuprestore.Command(unguarded)
	cmd.SetArgs([]string{
		"copy", "--source-store-provider=local", "--source-store-container=bucket", "--source-store-prefix=shoot/etcd-main", "--source-store-dir=" + c.source,
		"--store-provider=local", "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-dir=" + c.target,
		"--wait-for-final-snapshot=true", "--wait-for-final-snapshot-timeout=" + wait.String(),
	})
	return cmd.ExecuteContext(ctx)
}

// has are the last revisions of the snapshots in the target.
func (c copied) has() (ends []int64) {
	c.t.Helper()
	all, err := c.open(c.target).List(c.t.Context())
	must(c.t, err)
	for _, s := range all {
		ends = append(ends, s.End)
	}
	slices.Sort(ends)
	return ends
}

// TestCopyOfNothing copies from stores that no etcd can be restored from. The new etcd would begin empty, or with what it had before it left.
func TestCopyOfNothing(t *testing.T) {
	full := snapshot.Snapshot{Kind: snapshot.Full, End: 1, Created: noon}
	delta := snapshot.Snapshot{Kind: snapshot.Delta, Start: 2, End: 5, Created: noon.Add(time.Minute)}
	for name, tc := range map[string]struct{ source, target []snapshot.Snapshot }{
		"MIG-18 a source without snapshots":                                 {},
		"MIG-18 a source without a full snapshot":                           {source: []snapshot.Snapshot{delta}},
		"MIG-18 a source without snapshots, and a target with some":         {target: []snapshot.Snapshot{full, delta}},
		"MIG-18 a source that misses the full snapshot that the target has": {source: []snapshot.Snapshot{delta}, target: []snapshot.Snapshot{full}},
	} {
		t.Run(name, func(t *testing.T) {
			c := copied{t: t, source: t.TempDir(), target: t.TempDir()}
			for _, s := range tc.source {
				c.add(s)
			}
			store := copied{t: t, source: c.target}
			for _, s := range tc.target {
				store.add(s)
			}
			before := c.has()
			err := c.run(t.Context(), 10*time.Millisecond)
			if !errors.Is(err, transfer.ErrNothing) {
				t.Fatalf("the copy ends with %v, want %v", err, transfer.ErrNothing)
			}
			if want := `"shoot/etcd-main" of bucket "bucket"`; !strings.Contains(err.Error(), want) {
				t.Errorf("the error %q does not tell where: %s", err, want)
			}
			if diff := cmp.Diff(before, c.has()); diff != "" {
				t.Errorf("snapshots in the target (-before +after):\n%s", diff)
			}
		})
	}
}

func TestCopyWaitsForTheFinalSnapshot(t *testing.T) {
	full := snapshot.Snapshot{Kind: snapshot.Full, End: 1, Created: noon}
	delta := snapshot.Snapshot{Kind: snapshot.Delta, Start: 2, End: 5, Created: noon.Add(time.Minute)}
	final := snapshot.Snapshot{Kind: snapshot.Full, End: 7, Created: noon.Add(2 * time.Minute), Final: true}
	newCopied := func(t *testing.T) copied {
		c := copied{t: t, source: t.TempDir(), target: t.TempDir()}
		c.add(full)
		c.add(delta)
		return c
	}
	t.Run("MIG-18 without a final snapshot that comes in time the others are copied", func(t *testing.T) {
		c := newCopied(t)
		must(t, c.run(t.Context(), 10*time.Millisecond))
		if diff := cmp.Diff([]int64{1, 5}, c.has()); diff != "" {
			t.Errorf("snapshots (-want +got):\n%s", diff)
		}
	})
	t.Run("MIG-18 nothing is copied before that time", func(t *testing.T) {
		c := newCopied(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.run(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || len(c.has()) > 0 {
			t.Errorf("the copy ends with %v, and the target has %v", err, c.has())
		}
	})
	t.Run("MIG-18 a final snapshot is copied at once, with all before it", func(t *testing.T) {
		c := newCopied(t)
		c.add(final)
		must(t, c.run(t.Context(), time.Hour))
		if diff := cmp.Diff([]int64{1, 5, 7}, c.has()); diff != "" {
			t.Errorf("snapshots (-want +got):\n%s", diff)
		}
	})
}
