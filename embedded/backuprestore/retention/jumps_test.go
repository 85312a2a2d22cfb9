package retention

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// life takes snapshots of an etcd by a clock that may be wrong, and deletes old ones.
type life struct {
	t        *testing.T
	policy   Policy
	real     time.Time
	error    time.Duration // of the clock
	revision int64
	stored   []snapshot.Snapshot
}

func (l *life) take(kind snapshot.Kind) {
	made := snapshot.Snapshot{Kind: kind, End: l.revision + 10, Created: l.real.Add(l.error).Truncate(time.Second)}
	if kind == snapshot.Delta {
		made.Start = l.revision + 1
	}
	l.revision = made.End
	l.stored = append(l.stored, made)
}

// hour takes three deltas and a full snapshot, and deletes what is obsolete. What is needed for a restoration of the newest data must stay.
func (l *life) hour() {
	l.t.Helper()
	for range 3 {
		l.real = l.real.Add(15 * time.Minute)
		l.take(snapshot.Delta)
	}
	l.real = l.real.Add(15 * time.Minute)
	l.take(snapshot.Full)
	l.real = l.real.Add(time.Minute)
	l.take(snapshot.Delta)
	l.stored = without(l.stored, l.policy.Obsolete(l.stored, l.real.Add(l.error)))
	if newest := snapshot.Chains(l.stored)[0]; newest.End() != l.revision || len(newest.Deltas) != 1 {
		l.t.Fatalf("revision %d is wanted, and the newest chain is %+v", l.revision, newest)
	}
}

// TestJumps puts the clock back and forth for some months. Once it has been right for a day, there are as few snapshots as if it had always been right, long
// before real time reaches the times that the wrong clock has given.
func TestJumps(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, policy := range []Policy{{Name: Exponential}, {Name: Exponential, DeltaPeriod: 5 * time.Hour}, {Name: LimitBased, Limit: 4}} {
		t.Run("ETC-9 "+policy.Name, func(t *testing.T) {
			l := &life{t: t, policy: policy, real: moment(t, "2026-03-18 12:00")}
			for range 30 {
				l.error = time.Duration(random.Int64N(int64(800*day))) - 400*day
				for range random.IntN(40) {
					l.hour()
				}
				l.error = 0
				for range 24 {
					l.hour()
				}
				ideal := &life{t: t, policy: policy, real: l.real.Add(-24 * 61 * time.Minute)}
				for range 24 {
					ideal.hour()
				}
				// Of the time before this day, one full snapshot may stay for each earlier day and week.
				if most := len(ideal.stored) + dailies + weeklies + 2; len(l.stored) > most {
					t.Fatalf("%d snapshots at %s, want at most %d: %+v", len(l.stored), l.real, most, l.stored)
				}
				if i := slices.IndexFunc(l.stored, func(s snapshot.Snapshot) bool { return s.Created.After(l.real.Add(day)) }); i >= 0 && policy.Name == LimitBased {
					t.Errorf("%+v is still there", l.stored[i])
				}
			}
		})
	}
}

func TestFuture(t *testing.T) {
	at := func(kind snapshot.Kind, revision int64, text string) snapshot.Snapshot {
		return snapshot.Snapshot{Kind: kind, End: revision, Created: moment(t, text)}
	}
	next := func(s snapshot.Snapshot) snapshot.Snapshot { s.Generation++; return s }
	for name, tc := range map[string]struct {
		all  []snapshot.Snapshot
		want []int // positions of obsolete ones
	}{
		"a time in the future counts as now": {
			all: []snapshot.Snapshot{at(snapshot.Full, 10, "2027-03-18 12:00"), at(snapshot.Delta, 20, "2027-03-18 12:05"), at(snapshot.Full, 30, "2027-03-18 13:00")},
		},
		"it counts as that of the next snapshot, if there is one": {
			all: []snapshot.Snapshot{
				at(snapshot.Full, 10, "2027-03-18 12:00"), at(snapshot.Delta, 20, "2027-03-18 12:05"), at(snapshot.Full, 30, "2026-03-18 09:00"),
				at(snapshot.Delta, 40, "2026-03-18 09:05"), at(snapshot.Full, 50, "2026-03-18 12:00"),
			},
			want: []int{1, 0, 3},
		},
		"the newest full snapshot is that of the highest revision, although another one has a later time": {
			all: []snapshot.Snapshot{
				at(snapshot.Full, 10, "2026-03-16 12:00"), at(snapshot.Full, 20, "2026-03-16 09:00"), at(snapshot.Full, 30, "2025-03-16 09:00"),
				at(snapshot.Delta, 40, "2025-03-16 09:05"),
			},
			want: []int{0},
		},
		"the end of a generation is kept whole for a week": {
			all: []snapshot.Snapshot{
				at(snapshot.Full, 10, "2026-03-16 09:00"), at(snapshot.Delta, 20, "2026-03-16 09:05"), at(snapshot.Full, 30, "2026-03-17 09:00"),
				at(snapshot.Delta, 40, "2026-03-17 09:05"), next(at(snapshot.Full, 15, "2026-03-18 12:00")), next(at(snapshot.Delta, 17, "2026-03-18 12:05")),
			},
			want: []int{1},
		},
		"it is not kept longer": {
			all: []snapshot.Snapshot{
				at(snapshot.Full, 10, "2026-03-11 09:00"), at(snapshot.Delta, 20, "2026-03-11 09:05"), next(at(snapshot.Full, 15, "2026-03-18 12:00")),
			},
			want: []int{1},
		},
	} {
		t.Run("ETC-9 "+name, func(t *testing.T) {
			var want []snapshot.Snapshot
			for _, i := range tc.want {
				want = append(want, tc.all[i])
			}
			if got := (Policy{}).Obsolete(tc.all, moment(t, "2026-03-18 12:30")); !slices.Equal(got, want) {
				t.Errorf("obsolete are %+v, want %+v", got, want)
			}
		})
	}
}
