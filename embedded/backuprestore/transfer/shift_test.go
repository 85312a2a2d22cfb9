package transfer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
)

func generation(n int64, s snapshot.Snapshot) snapshot.Snapshot {
	s.Generation = n
	return s
}

// merged is made of snapshots that end with the delta of a day.
func merged(day int, end int64) snapshot.Snapshot {
	s := delta(day, 0, end)
	s.Kind, s.Compacted = snapshot.Full, true
	return s
}

// TestBack copies the backups of a control plane that comes back to where some of it was left.
func TestBack(t *testing.T) {
	common := []snapshot.Snapshot{full(0, 10), delta(1, 11, 20)}
	onward := append(append([]snapshot.Snapshot(nil), common...), full(3, 1020), delta(3, 1021, 1030))
	last := generation(1, full(4, 15))
	last.Final = true
	for name, tc := range map[string]struct {
		source, left []snapshot.Snapshot
		newest       snapshot.Snapshot
	}{
		"MIG-15 nothing but the originals was left":                      {onward, common, delta(3, 1021, 1030)},
		"MIG-15 a later generation was left, of data that were put back": {onward, append(append([]snapshot.Snapshot(nil), common...), last), generation(2, delta(3, 1021, 1030))},
		"MIG-15 higher revisions were left, after another restoration":   {onward, append(append([]snapshot.Snapshot(nil), common...), full(2, 2020)), generation(1, delta(3, 1021, 1030))},
		"MIG-15 lower revisions were left":                               {onward, append(append([]snapshot.Snapshot(nil), common...), delta(2, 21, 25)), delta(3, 1021, 1030)},
		"MIG-15 the source has not gone on, and what was left is newer":  {common, append(append([]snapshot.Snapshot(nil), common...), delta(2, 21, 25)), delta(2, 21, 25)},
		"MIG-15 the source has merged what was left": {
			append(append([]snapshot.Snapshot(nil), common...), merged(1, 20)), append(append([]snapshot.Snapshot(nil), common...), full(2, 2020), delta(2, 2021, 2030)), delta(2, 2021, 2030),
		},
		"MIG-15 the source has merged what was left, and has not kept it": {
			append(append([]snapshot.Snapshot(nil), common[0]), merged(1, 20)), append(append([]snapshot.Snapshot(nil), common...), full(2, 2020), delta(2, 2021, 2030)), delta(2, 2021, 2030),
		},
		"MIG-15 the source has gone on, and has merged that": {
			append(append([]snapshot.Snapshot(nil), common[0]), merged(3, 1030)), append(append([]snapshot.Snapshot(nil), common...), full(2, 2020), delta(2, 2021, 2030)), generation(1, merged(3, 1030)),
		},
		"MIG-15 a second return, with copies of the first": {
			append(append([]snapshot.Snapshot(nil), onward...), generation(2, full(5, 1030)), generation(2, delta(6, 1031, 1040))),
			[]snapshot.Snapshot{last, generation(2, full(5, 1030)), generation(3, full(7, 9))}, generation(6, delta(6, 1031, 1040)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := open(t, t.TempDir(), "x/etcd-main"), open(t, t.TempDir(), "x/etcd-main")
			fill(t, from, tc.source...)
			fill(t, to, tc.left...)
			var first []string
			for range 2 { // the second time changes nothing
				if _, err := transfer.Copy(t.Context(), from, to, transfer.Limits{}); err != nil {
					t.Fatal(err)
				}
				all, err := to.List(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.newest.Key(), snapshot.Chains(all)[0].Latest().Key()); diff != "" {
					t.Errorf("newest (-want +got):\n%s", diff)
				}
				if first == nil {
					first = names(all)
				}
				if diff := cmp.Diff(first, names(all)); diff != "" {
					t.Errorf("a second copy has changed something (-first +second):\n%s", diff)
				}
			}
		})
	}
}
