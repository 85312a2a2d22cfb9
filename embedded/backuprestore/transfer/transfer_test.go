package transfer_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
)

func open(t *testing.T, dir, prefix string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: prefix, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

var begin = time.Now().UTC().Truncate(time.Second).Add(-10 * 24 * time.Hour)

func full(day int, end int64) snapshot.Snapshot {
	return snapshot.Snapshot{Kind: snapshot.Full, End: end, Created: begin.Add(time.Duration(day) * 24 * time.Hour), Suffix: ".gz"}
}

func delta(day int, start, end int64) snapshot.Snapshot {
	return snapshot.Snapshot{
		Kind: snapshot.Delta, Start: start, End: end, Created: begin.Add(time.Duration(day)*24*time.Hour + time.Hour), Suffix: ".gz",
	}
}

func fill(t *testing.T, s *store.Store, all ...snapshot.Snapshot) {
	t.Helper()
	for _, one := range all {
		if _, err := s.Write(t.Context(), one, func(w io.Writer) error { _, err := io.WriteString(w, one.Key()); return err }); err != nil {
			t.Fatal(err)
		}
	}
}

func keys(t *testing.T, s *store.Store) []string {
	t.Helper()
	all, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return names(all)
}

func names(all []snapshot.Snapshot) (out []string) {
	for _, s := range all {
		out = append(out, s.Key())
	}
	return out
}

func TestCopy(t *testing.T) {
	dir := t.TempDir()
	from, to := open(t, dir, "shoot/etcd-main"), open(t, t.TempDir(), "moved/etcd-main")
	last := full(9, 30)
	last.Final = true
	all := []snapshot.Snapshot{full(0, 10), delta(0, 11, 20), full(5, 20), delta(5, 21, 30), last}
	fill(t, from, all...)
	last.Final = false
	all[4] = last

	result, err := transfer.Copy(t.Context(), from, to, transfer.Limits{})
	if err != nil || result.Copied != 5 || result.Present != 0 || result.Bytes == 0 {
		t.Errorf("copied %+v, %v", result, err)
	}
	if diff := cmp.Diff(names(all), keys(t, to)); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	r, err := to.Open(t.Context(), all[1])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if content, err := io.ReadAll(r); err != nil || string(content) != all[1].Key() {
		t.Errorf("content %q, %v", content, err)
	}

	t.Run("a second copy copies what is new or was not complete", func(t *testing.T) {
		if err := to.Delete(t.Context(), all[3]); err != nil {
			t.Fatal(err)
		}
		result, err := transfer.Copy(t.Context(), from, to, transfer.Limits{})
		if err != nil || result.Copied != 1 || result.Present != 4 {
			t.Errorf("copied %+v, %v", result, err)
		}
	})
	t.Run("a snapshot that cannot be read stops the copy after those before it", func(t *testing.T) {
		path := filepath.Join(dir, "bucket", "shoot", "etcd-main", all[2].Key())
		if err := errors.Join(os.Remove(path), os.Symlink("nothing", path)); err != nil {
			t.Fatal(err)
		}
		other := open(t, t.TempDir(), "x")
		if result, err := transfer.Copy(t.Context(), from, other, transfer.Limits{}); err == nil {
			t.Errorf("no error, copied %+v", result)
		}
		if diff := cmp.Diff(names(all[:2]), keys(t, other)); diff != "" {
			t.Errorf("target (-want +got):\n%s", diff)
		}
	})
}

func TestSelect(t *testing.T) {
	all := []snapshot.Snapshot{delta(0, 1, 5), full(1, 10), delta(1, 11, 20), full(5, 20), delta(5, 21, 30), full(9, 30)}
	for name, tc := range map[string]struct {
		limits transfer.Limits
		from   int
	}{
		"without limits all that a restoration can use": {transfer.Limits{}, 1},
		"two full snapshots and their deltas":           {transfer.Limits{Full: 2}, 3},
		"those of the last six days":                    {transfer.Limits{Age: 6 * 24 * time.Hour}, 3},
		"the stricter limit counts":                     {transfer.Limits{Age: 6 * 24 * time.Hour, Full: 1}, 5},
		"the newest one, however old it is":             {transfer.Limits{Age: time.Minute}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			got := transfer.Select(all, tc.limits, time.Now())
			if diff := cmp.Diff(names(all[tc.from:]), names(got)); diff != "" {
				t.Errorf("selected (-want +got):\n%s", diff)
			}
		})
	}
	if got := transfer.Select(all[:1], transfer.Limits{}, time.Now()); got != nil {
		t.Errorf("without a full snapshot %v", got)
	}
}

func TestAwaitFinal(t *testing.T) {
	from := open(t, t.TempDir(), "shoot/etcd-main")
	fill(t, from, full(0, 10))
	if err := transfer.AwaitFinal(t.Context(), from, time.Millisecond, 20*time.Millisecond); !errors.Is(err, transfer.ErrNoFinal) {
		t.Errorf("without a final snapshot: %v", err)
	}
	done := make(chan error)
	go func() { done <- transfer.AwaitFinal(t.Context(), from, time.Millisecond, time.Minute) }()
	last := full(1, 20)
	last.Final = true
	fill(t, from, last)
	if err := <-done; err != nil {
		t.Error(err)
	}
	fill(t, from, full(2, 30))
	if err := transfer.Final(t.Context(), from); !errors.Is(err, transfer.ErrNoFinal) {
		t.Errorf("a full snapshot after the final one: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := transfer.AwaitFinal(ended, from, time.Hour, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
