package integration

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// TestAmount overwrites one key for a long time, as a user of a shoot can, and compacts the etcd as an API server does.
func TestAmount(t *testing.T) {
	const quota, written = 16 << 20, 96 << 20
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--watchdog")
	m.own = []string{fmt.Sprintf("--quota-backend-bytes=%d", quota)}
	m.start()
	value := make([]byte, 1<<20)
	for range written / len(value) {
		_, err := rand.Read(value) // which no compression makes shorter
		must(t, err)
		_, err = m.etcd.Put(t.Context(), "key", string(value))
		must(t, err)
		m.take("delta")
		_, err = m.etcd.Compact(t.Context(), snapshot.Chains(m.snapshots())[0].End())
		if !errors.Is(err, rpctypes.ErrCompacted) { // by the watchdog
			must(t, err)
		}
	}
	m.take("delta") // after all that follows the delta before
	t.Run("APP-19 the snapshots have fewer bytes than were written", func(t *testing.T) {
		var sum int64
		for _, s := range m.snapshots() {
			sum += s.Size
		}
		// Twice the quota after a full snapshot, and deltas of one more since.
		if sum > 3*quota {
			t.Errorf("%d bytes", sum)
		}
	})
	t.Run("APP-19 metrics tell it", func(t *testing.T) {
		body, err := m.get("/metrics")
		if err != nil || !strings.Contains(body, "etcdbr_snapshot_stored_bytes ") || strings.Contains(body, "etcdbr_snapshot_early_full_total 0") {
			t.Errorf("metrics: %s, %v", body, err)
		}
	})
	t.Run("ETC-10 the last state can be restored", func(t *testing.T) {
		m.end(syscall.SIGKILL)
		must(t, os.RemoveAll(m.data()))
		m.start()
		if diff := cmp.Diff(map[string]string{"key": string(value)}, m.contents()); diff != "" {
			t.Error("the contents are not those that were written last")
		}
	})
}

// TestDeltaByAmount changes more than a delta may have, at once.
func TestDeltaByAmount(t *testing.T) {
	const limit = 100 << 20 // the default
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--compression=none")
	m.start()
	m.take("full")
	value := strings.Repeat("v", 1<<20)
	t.Run("ETC-8 100 MiB of changes are backed up before their time", func(t *testing.T) {
		for range limit/len(value) + 3 {
			_, err := m.etcd.Put(t.Context(), "key", value)
			must(t, err)
		}
		m.eventually("a delta", func() error {
			all := m.snapshots()
			last := all[len(all)-1]
			if last.Kind != snapshot.Delta {
				return fmt.Errorf("snapshots %v", all)
			}
			if last.Size < limit || last.Size > limit+3*int64(len(value)) {
				t.Errorf("the delta has %d bytes", last.Size)
			}
			return nil
		})
	})
}
