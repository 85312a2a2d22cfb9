package retention

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	out, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// parse makes a full snapshot of "F <time>" and a delta of "D <time>". Revisions rise with time.
func parse(t *testing.T, texts []string) []snapshot.Snapshot {
	var all []snapshot.Snapshot
	for _, text := range texts {
		kind := snapshot.Full
		if text[0] == 'D' {
			kind = snapshot.Delta
		}
		at := moment(t, text[2:18])
		all = append(all, snapshot.Snapshot{Kind: kind, End: at.Unix() / 60, Created: at, Final: len(text) > 18})
	}
	return all
}

func TestObsolete(t *testing.T) {
	for name, tc := range map[string]struct {
		policy    Policy
		now       string
		snapshots []string
		want      []string // obsolete
	}{
		"ETC-9 all of this and the previous hour are kept": {
			now:       "2026-03-18 12:30",
			snapshots: []string{"F 2026-03-18 11:05", "D 2026-03-18 11:10", "F 2026-03-18 11:55", "D 2026-03-18 12:00", "F 2026-03-18 12:10"},
		},
		"ETC-9 the last full snapshot of each hour of the day is kept, without deltas": {
			now:       "2026-03-18 12:30",
			snapshots: []string{"F 2026-03-18 09:05", "D 2026-03-18 09:10", "F 2026-03-18 09:55", "D 2026-03-18 09:58", "F 2026-03-18 12:10"},
			want:      []string{"F 2026-03-18 09:05", "D 2026-03-18 09:10", "D 2026-03-18 09:58"},
		},
		"ETC-9 the last full snapshot of each of 7 days is kept": {
			now: "2026-03-18 12:30",
			snapshots: []string{
				"F 2026-03-11 01:00", "F 2026-03-11 22:00", "F 2026-03-15 01:00", "F 2026-03-17 00:10", "D 2026-03-17 00:20", "F 2026-03-17 23:50",
				"F 2026-03-18 12:10",
			},
			want: []string{"F 2026-03-11 01:00", "F 2026-03-17 00:10", "D 2026-03-17 00:20"},
		},
		"ETC-9 the last full snapshot of each of 4 weeks is kept": {
			now: "2026-03-18 12:30", // a Wednesday
			snapshots: []string{
				"F 2026-02-13 01:00", "F 2026-02-15 23:00", // five weeks ago
				"F 2026-02-16 01:00", "F 2026-02-22 01:00", // four weeks ago
				"F 2026-03-02 01:00", "F 2026-03-03 01:00", // two weeks ago
				"F 2026-03-18 12:10",
			},
			want: []string{"F 2026-02-13 01:00", "F 2026-02-15 23:00", "F 2026-02-16 01:00", "F 2026-03-02 01:00"},
		},
		"the newest full snapshot and its deltas are kept, however old they are": {
			now:       "2026-03-18 12:30",
			snapshots: []string{"F 2025-03-18 11:05", "D 2025-03-18 11:10"},
		},
		"final snapshots are kept": {
			now:       "2026-03-18 12:30",
			snapshots: []string{"F 2025-03-18 11:05 final", "F 2025-03-18 11:06"},
		},
		"ETC-9 deltas whose full snapshot is gone are not kept for ever": {
			policy:    Policy{DeltaPeriod: 24 * time.Hour},
			now:       "2026-03-18 12:30",
			snapshots: []string{"D 2026-03-16 09:10", "D 2026-03-17 22:10", "F 2026-03-18 12:00", "D 2026-03-18 12:10"},
			want:      []string{"D 2026-03-16 09:10"},
		},
		"ETC-9 they are kept while there is no full snapshot": {
			now:       "2026-03-18 12:30",
			snapshots: []string{"D 2026-03-16 09:10"},
		},
		"a period for deltas keeps them longer": {
			policy:    Policy{DeltaPeriod: 24 * time.Hour},
			now:       "2026-03-18 12:30",
			snapshots: []string{"F 2026-03-16 09:05", "D 2026-03-16 09:10", "F 2026-03-17 11:00", "D 2026-03-17 22:10", "F 2026-03-18 12:00"},
			want:      []string{"D 2026-03-16 09:10"},
		},
		"a limit keeps that many full snapshots with their deltas": {
			policy:    Policy{Name: LimitBased, Limit: 2},
			now:       "2026-03-18 12:30",
			snapshots: []string{"F 2026-01-01 01:00", "D 2026-01-01 01:05", "F 2026-01-02 01:00", "D 2026-01-02 01:05", "F 2026-01-03 01:00"},
			want:      []string{"F 2026-01-01 01:00", "D 2026-01-01 01:05"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.policy.Obsolete(parse(t, tc.snapshots), moment(t, tc.now))
			snapshot.Sort(got)
			want := parse(t, tc.want)
			snapshot.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
				t.Errorf("obsolete (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExcess(t *testing.T) {
	for name, tc := range map[string]struct {
		policy    Policy
		snapshots []string // of 10 bytes each
		want      []string // obsolete
	}{
		"what fits is kept": {
			policy:    Policy{Bytes: 30},
			snapshots: []string{"F 2026-03-18 12:00", "D 2026-03-18 12:01", "F 2026-03-18 12:02"},
		},
		"the oldest full snapshots go with their deltas, before all other rules": {
			policy: Policy{Bytes: 30, DeltaPeriod: 24 * time.Hour},
			snapshots: []string{
				"F 2026-03-18 12:00", "D 2026-03-18 12:01", "D 2026-03-18 12:02", "F 2026-03-18 12:03", "D 2026-03-18 12:04", "F 2026-03-18 12:05",
			},
			want: []string{"F 2026-03-18 12:00", "D 2026-03-18 12:01", "D 2026-03-18 12:02"},
		},
		"the newest full snapshot and its deltas are kept, however long they are": {
			policy:    Policy{Bytes: 5},
			snapshots: []string{"F 2026-03-18 12:00", "F 2026-03-18 12:02", "D 2026-03-18 12:03", "D 2026-03-18 12:04"},
			want:      []string{"F 2026-03-18 12:00"},
		},
		"final snapshots are kept": {
			policy:    Policy{Bytes: 5},
			snapshots: []string{"F 2026-03-18 11:05 final", "F 2026-03-18 11:06", "F 2026-03-18 12:06"},
			want:      []string{"F 2026-03-18 11:06"},
		},
		"deltas that belong to no full snapshot go first": {
			policy:    Policy{Bytes: 20},
			snapshots: []string{"D 2026-03-18 12:00", "F 2026-03-18 12:01", "F 2026-03-18 12:02"},
			want:      []string{"D 2026-03-18 12:00"},
		},
		"what is too old anyway does not count": {
			policy:    Policy{Name: LimitBased, Limit: 2, Bytes: 20},
			snapshots: []string{"F 2026-01-01 01:00", "F 2026-01-02 01:00", "F 2026-01-03 01:00"},
			want:      []string{"F 2026-01-01 01:00"},
		},
	} {
		t.Run("APP-19 "+name, func(t *testing.T) {
			sized := func(texts []string) []snapshot.Snapshot {
				all := parse(t, texts)
				for i := range all {
					all[i].Size = 10
				}
				snapshot.Sort(all)
				return all
			}
			got := tc.policy.Obsolete(sized(tc.snapshots), moment(t, "2026-03-18 12:30"))
			snapshot.Sort(got)
			if want := sized(tc.want); !slices.Equal(want, got) {
				t.Errorf("obsolete (-want +got):\n%s", cmp.Diff(want, got))
			}
		})
	}
}

func TestDeltasGoBeforeTheirFullSnapshot(t *testing.T) {
	all := parse(t, []string{"F 2026-01-01 01:00", "D 2026-01-01 01:05", "F 2026-03-03 01:00"})
	got := Policy{}.Obsolete(all, moment(t, "2026-03-18 12:30"))
	if !slices.Equal(got, []snapshot.Snapshot{all[1], all[0]}) {
		t.Errorf("order %+v", got)
	}
}
