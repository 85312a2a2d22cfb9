package integration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// roundsVariable is how often the property test kills the etcd; make soak sets it.
const roundsVariable = "GARDENER_TEST_KILLS"

// history is what was acknowledged: the contents after each revision.
type history struct {
	at      map[int64]map[string]string
	current map[string]string
}

func newHistory(revision int64, contents map[string]string) *history {
	return &history{at: map[int64]map[string]string{revision: maps.Clone(contents)}, current: maps.Clone(contents)}
}

func (h *history) acknowledge(revision int64, change func(map[string]string)) {
	change(h.current)
	h.at[revision] = maps.Clone(h.current)
}

// write is a random transaction, and what it does to the contents.
func write(random *rand.Rand) ([]clientv3.Op, func(map[string]string)) {
	var ops []clientv3.Op
	puts, deletes := map[string]string{}, map[string]bool{}
	for range 1 + random.IntN(3) {
		key := fmt.Sprintf("key-%02d", random.IntN(30))
		if _, twice := puts[key]; twice || deletes[key] {
			continue // etcd refuses that
		}
		if random.IntN(4) == 0 {
			deletes[key] = true
			ops = append(ops, clientv3.OpDelete(key))
			continue
		}
		puts[key] = strings.Repeat(strconv.Itoa(random.IntN(10)), 1+random.IntN(2000))
		ops = append(ops, clientv3.OpPut(key, puts[key]))
	}
	return ops, func(contents map[string]string) {
		maps.Copy(contents, puts)
		for key := range deletes {
			delete(contents, key)
		}
	}
}

// TestProperty kills the etcd at random moments during random writes. If its data survive, all acknowledged writes are there.
// If they are removed, the restored data are exactly those after the last revision that was backed up. Sometimes they are put back to an earlier state, and
// the etcd writes on without its store first: they stay those of the earlier state and what was written since, also in backups. Some snapshots are
// encrypted, for several keys.
func TestProperty(t *testing.T) {
	rounds := 6
	if text := os.Getenv(roundsVariable); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		rounds = n
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	m := newMember(t)
	ring := newKeyring(t)
	var keys []*age.X25519Identity
	stored := append(m.stored(), "--delta-period=150ms", "--delta-limit=20000", "--compression=zstd", "--store-credentials="+ring.dir)
	m.flags = stored
	m.start()
	known := newHistory(1, map[string]string{})
	lost, back := 0, earlier{dir: filepath.Join(t.TempDir(), "earlier")}
	for round := range rounds {
		if round%3 == 1 {
			back.keep(m, known)
		}
		if round%2 == 1 {
			keys = append([]*age.X25519Identity{newKey(t)}, keys...)
			ring.set(keys...)
		}
		pending := m.writeUntilKilled(random, known, time.Duration(100+random.IntN(1500))*time.Millisecond)
		wipe := random.IntN(2) == 0 || round == rounds-1
		want := []map[string]string{known.current, pending}
		if wipe {
			must(t, os.RemoveAll(m.data()))
			lost++
			want = known.backedUp(t, m.snapshots(), pending)
		}
		m.start()
		got := m.contents()
		if !oneOf(want, got) {
			t.Fatalf("ETC-8 ETC-10 round %d, data removed: %v: contents (-want +got):\n%s", round, wipe, cmp.Diff(want[0], got))
		}
		current, err := m.etcd.Get(t.Context(), "key")
		must(t, err)
		known.current = got // a restoration goes on with higher revisions, so the older ones stay known
		known.acknowledge(current.Header.Revision, func(map[string]string) {})
		if round%3 == 2 {
			m.flags = nil
			known = back.put(m, random)
			m.flags = stored
			m.end(syscall.SIGKILL)
			m.start()
			m.take("delta") // from now on, the backups are those of these data
		}
	}
	t.Logf("%d kills, %d times without data, %d acknowledged writes", rounds, lost, len(known.at)-rounds)
}

// earlier is an earlier state of the data.
type earlier struct {
	dir      string
	contents map[string]string
}

// keep copies the data.
func (e *earlier) keep(m *member, known *history) {
	m.t.Helper()
	m.end(syscall.SIGTERM)
	must(m.t, os.RemoveAll(e.dir))
	must(m.t, os.CopyFS(e.dir, os.DirFS(m.data())))
	m.start()
	e.contents = maps.Clone(known.current)
}

// put puts the data back, and lets the etcd overtake the revisions that it had or not.
func (e *earlier) put(m *member, random *rand.Rand) *history {
	m.t.Helper()
	m.end(syscall.SIGKILL)
	must(m.t, os.RemoveAll(m.data()))
	must(m.t, os.CopyFS(m.data(), os.DirFS(e.dir)))
	m.start()
	if diff := cmp.Diff(e.contents, m.contents()); diff != "" {
		m.t.Fatalf("contents after the data were put back (-want +got):\n%s", diff)
	}
	known := newHistory(0, e.contents)
	for range random.IntN(300) {
		ops, change := write(random)
		response, err := m.etcd.Txn(m.t.Context()).Then(ops...).Commit()
		must(m.t, err)
		known.acknowledge(response.Header.Revision, change)
	}
	return known
}

// writeUntilKilled writes until the process is killed. It returns the contents if the write that was not acknowledged counts.
func (m *member) writeUntilKilled(random *rand.Rand, known *history, after time.Duration) map[string]string {
	m.t.Helper()
	killed := make(chan struct{})
	ctx, cancel := context.WithCancel(m.t.Context())
	go func() {
		time.Sleep(after) // the process is to be killed at whatever it does then
		m.end(syscall.SIGKILL)
		cancel()
		close(killed)
	}()
	defer func() { <-killed }()
	for {
		ops, change := write(random)
		response, err := m.etcd.Txn(ctx).Then(ops...).Commit()
		if err != nil {
			if !errors.Is(err, context.Canceled) && ctx.Err() == nil {
				m.t.Logf("write: %v", err)
				<-ctx.Done()
			}
			pending := maps.Clone(known.current)
			change(pending)
			return pending
		}
		known.acknowledge(response.Header.Revision, change)
	}
}

// backedUp are the contents after the last revision in the store. It may be that of the write that was not acknowledged.
func (h *history) backedUp(t *testing.T, all []snapshot.Snapshot, pending map[string]string) []map[string]string {
	t.Helper()
	chains := snapshot.Chains(all)
	if len(chains) == 0 {
		return []map[string]string{{}} // killed before the first snapshot
	}
	// A full snapshot may contain later revisions than its name says.
	end, want := chains[0].End(), []map[string]string{pending}
	fullOnly := len(chains[0].Deltas) == 0
	for revision, contents := range h.at {
		if revision == end || fullOnly && revision > end {
			want = append([]map[string]string{contents}, want...)
		}
	}
	return want
}

func oneOf(want []map[string]string, got map[string]string) bool {
	for _, w := range want {
		if maps.Equal(w, got) {
			return true
		}
	}
	return false
}
