package integration

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// TestMaintenance lets the process of a member do in seconds what others do in days.
func TestMaintenance(t *testing.T) {
	m := newMember(t)
	m.flags = append(m.stored(), "--retention-period=1s", "--defragmentation-schedule=@every 1s")
	m.start()
	t.Run("ETC-11 the process defragments", func(t *testing.T) {
		m := m.in(t)
		m.fill()
		m.eventually("the database is smaller", func() error {
			if now := m.size(); now > filled/2 {
				return fmt.Errorf("%d bytes, were %d at least", now, filled)
			}
			return nil
		})
	})
	t.Run("ETC-9 the process deletes old snapshots", func(t *testing.T) {
		m := m.in(t)
		m.take("full") // which is kept, as the newest one
		kept := len(m.snapshots())
		m.store("F 2020-01-01 00:00") // older than all that is kept
		m.store("D 2020-01-01 00:01")
		m.eventually("the old snapshots are gone", func() error {
			left := m.snapshots()
			if slices.ContainsFunc(left, func(s snapshot.Snapshot) bool { return s.Created.Year() == 2020 }) {
				return fmt.Errorf("snapshots %v", left)
			}
			if len(left) < kept {
				t.Errorf("snapshots %v, there were %d newer ones", left, kept)
			}
			return nil
		})
	})
}
