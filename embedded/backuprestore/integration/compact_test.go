package integration

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/backuprestore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// compactArgs are the arguments of a compaction of the member's snapshots.
func (m *member) compactArgs(dir string, more ...string) []string {
	return append(append([]string{"compact", "--work-dir=" + dir}, m.stored()...), more...)
}

func (m *member) compact(dir string, more ...string) error {
	m.t.Helper()
	cmd := backuprestore.Command(unguarded)
	cmd.SetArgs(m.compactArgs(dir, more...))
	return cmd.ExecuteContext(context.Background())
}

func (m *member) merged() (found []snapshot.Snapshot) {
	m.t.Helper()
	for _, s := range m.snapshots() {
		if s.Compacted {
			found = append(found, s)
		}
	}
	return found
}

// TestCompaction merges snapshots of a member, which loses its data then.
func TestCompaction(t *testing.T) {
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--compression=zstd")
	work, ring, own := t.TempDir(), newKeyring(t, newKey(t)), newKeyring(t, newKey(t))
	m.start()
	m.write("before")
	m.take("full")
	taken := len(m.snapshots())

	t.Run("ETC-10 a full snapshot without deltas is left alone", func(t *testing.T) {
		m := m.in(t)
		must(t, m.compact(work))
		if got := len(m.snapshots()); got != taken {
			t.Errorf("%d snapshots, %d before", got, taken)
		}
	})

	m.in(t)
	var want map[string]string
	for i := range 30 {
		want = m.write(fmt.Sprint("key-", i%3, strings.Repeat("x", 1000)))
		if i%10 == 9 {
			m.take("delta")
		}
	}
	_, err := m.etcd.Delete(t.Context(), "before") // the last revision has no key
	must(t, err)
	m.take("delta")
	want = m.contents()

	t.Run("ETC-10 a compaction that is killed leaves nothing in the store, and the next one works", func(t *testing.T) {
		m := m.in(t)
		before := len(m.snapshots())
		for i := range 5 {
			must(t, os.RemoveAll(filepath.Join(work, "compaction"))) // of the attempt before
			process := exec.Command(os.Args[0], m.compactArgs(work)...)
			process.Env = append(os.Environ(), memberVariable+"=1")
			must(t, process.Start())
			testwait.Until(t, "the beginning of the compaction", func() error {
				if _, err := os.Stat(filepath.Join(work, "compaction")); err == nil || len(m.merged()) > 0 || process.Process.Signal(syscall.Signal(0)) != nil {
					return nil
				}
				return os.ErrNotExist
			})
			_ = process.Process.Signal(syscall.SIGKILL)
			_ = process.Wait()
			for _, s := range m.merged() {
				t.Logf("attempt %d was faster: %s", i, s.Key())
				must(t, os.Remove(m.path(s)))
			}
			if left := m.snapshots(); len(left) != before {
				t.Fatalf("snapshots after attempt %d: %v", i, left)
			}
		}
	})

	t.Run("ETC-10 the newest full snapshot and its deltas are merged, and nothing is deleted", func(t *testing.T) {
		m := m.in(t)
		before := m.snapshots()
		must(t, m.compact(work))
		all := m.snapshots()
		newest := all[len(all)-1]
		if last := before[len(before)-1]; !newest.Created.Equal(last.Created) {
			t.Errorf("the data are of %s, the snapshot of %s", last.Created, newest.Created)
		}
		if len(all) != len(before)+1 || !newest.Compacted || newest.Kind != snapshot.Full || newest.End != before[len(before)-1].End {
			t.Fatalf("snapshots %v, before %v", all, before)
		}
		if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
			t.Errorf("left in the directory: %v, %v", left, err)
		}
		must(t, m.compact(work))
		if again := m.snapshots(); len(again) != len(all) {
			t.Errorf("merged again: %v", again)
		}
	})

	t.Run("ETC-10 the member goes on with its snapshots after a restart", func(t *testing.T) {
		m := m.in(t)
		m.end(syscall.SIGKILL)
		m.start()
		want = m.write("after")
		m.take("delta")
		all := m.snapshots()
		last := all[len(all)-1]
		if last.Kind != snapshot.Delta || last.Generation != 0 || last.Start != m.merged()[0].End+1 {
			t.Errorf("the newest of %v does not follow the merged snapshot", all)
		}
	})

	t.Run("ETC-10 the merged snapshot alone has the data of those that it was made of", func(t *testing.T) {
		m := m.in(t)
		merged := m.merged()[0]
		for _, s := range m.snapshots() {
			if s.End <= merged.End && !s.Compacted {
				must(t, os.Remove(m.path(s)))
			}
		}
		m.comesBack(want)
		if content, _ := os.ReadFile(filepath.Join(m.dir, "log")); !strings.Contains(string(content), merged.Key()) {
			t.Errorf("%s was not used", merged.Key())
		}
	})

	t.Run("ETC-10 a merged snapshot is encrypted if the Secret of the store has a key, also if it is made of others that are not", func(t *testing.T) {
		m := m.in(t)
		want := m.write("encrypted")
		m.take("delta")
		if err := m.compact(work, "--store-credentials="+ring.dir); err != nil {
			t.Fatal(err)
		}
		merged := m.merged()
		newest := merged[len(merged)-1]
		content, err := os.ReadFile(m.path(newest))
		must(t, err)
		if !newest.Encrypted || !bytes.HasPrefix(content, []byte("age-encryption.org/v1\n")) {
			t.Fatalf("%s is not encrypted", newest.Key())
		}
		for _, s := range m.snapshots() {
			if s.End <= newest.End && s != newest {
				must(t, os.Remove(m.path(s)))
			}
		}
		flags := m.flags
		m.flags = append(flags[:len(flags):len(flags)], "--store-credentials="+ring.dir)
		m.comesBack(want)
	})

	t.Run("ETC-10 a merged snapshot is encrypted by the key of the store, also if it is made of others with the key of the seed that they were copied from", func(t *testing.T) {
		m := m.in(t)
		m.flags = append(m.stored(), "--delta-period=1h", "--store-credentials="+ring.dir)
		m.end(syscall.SIGKILL)
		m.start()
		m.take("full")
		m.write("encrypted again")
		m.take("delta")
		before := len(m.snapshots())
		if err := m.compact(work, "--store-credentials="+own.dir); err == nil || !strings.Contains(err.Error(), "key is missing") {
			t.Errorf("without the key: %v", err)
		}
		if err := m.compact(work, "--store-credentials="+newKeyring(t).dir, "--source-store-credentials="+ring.dir); err == nil || !strings.Contains(err.Error(), "has no key") {
			t.Errorf("the merged snapshot would not be encrypted: %v", err)
		}
		if got := len(m.snapshots()); got != before {
			t.Errorf("%d snapshots, %d before", got, before)
		}
		must(t, m.compact(work, "--store-credentials="+own.dir, "--source-store-credentials="+ring.dir))
		all := m.merged()
		merged := all[len(all)-1]
		if len(m.snapshots()) != before+1 || !merged.Encrypted {
			t.Fatalf("snapshots %v", m.snapshots())
		}
		want := m.contents()
		for _, s := range m.snapshots() {
			if !s.Compacted || s.Key() != merged.Key() {
				must(t, os.Remove(m.path(s)))
			}
		}
		m.flags = append(m.stored(), "--delta-period=1h", "--store-credentials="+own.dir)
		m.comesBack(want)
	})

	t.Run("ETC-10 nothing is merged if the full snapshot contains more than its deltas", func(t *testing.T) {
		m := m.in(t)
		m.take("full")
		m.write("in the delta")
		m.take("delta")
		before := m.snapshots()
		last := before[len(before)-1]
		m.write("in the full snapshot alone")
		m.take("full")
		for _, s := range m.snapshots() {
			switch {
			case s.Kind == snapshot.Full && s.End > last.End: // was asked for before the delta, and written after it
				asked := s
				asked.End = last.Start - 1
				content, err := os.ReadFile(m.path(s))
				must(t, err)
				must(t, os.WriteFile(m.path(asked), content, 0o600))
				must(t, os.Remove(m.path(s)))
			case s.Kind == snapshot.Full && s.End == last.Start-1, s.End > last.End:
				must(t, os.Remove(m.path(s)))
			}
		}
		before = m.snapshots()
		process := exec.Command(os.Args[0], m.compactArgs(work, "--store-credentials="+own.dir, "--source-store-credentials="+ring.dir)...)
		process.Env = append(os.Environ(), memberVariable+"=1")
		said, err := process.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "Nothing is merged") || !strings.Contains(string(said), "contains all deltas after it") {
			t.Errorf("%v: %s", err, said)
		}
		if got := m.snapshots(); len(got) != len(before) {
			t.Errorf("snapshots %v, before %v", got, before)
		}
	})

	t.Run("ETC-10 nothing is merged after a final snapshot", func(t *testing.T) {
		m := m.in(t)
		m.write("last")
		m.take("delta")
		_, err := m.get("/snapshot/full?final=true")
		must(t, err)
		before := len(m.snapshots())
		must(t, m.compact(work))
		if got := len(m.snapshots()); got != before {
			t.Errorf("%d snapshots, %d before", got, before)
		}
	})

	t.Run("ETC-10 damaged snapshots are not merged", func(t *testing.T) {
		m := m.in(t)
		m.end(syscall.SIGKILL)
		m.start() // a final snapshot is not continued: a full one follows
		m.take("full")
		m.write("damaged")
		m.take("delta")
		all := m.snapshots()
		damage(t, m.path(all[len(all)-1]))
		if err := m.compact(work, "--store-credentials="+own.dir); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("error %v", err)
		}
		if got := len(m.snapshots()); got != len(all) {
			t.Errorf("%d snapshots, %d before", got, len(all))
		}
	})
}
