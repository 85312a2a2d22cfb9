package snapshot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func at(seconds int64) time.Time { return time.Unix(1700000000+seconds, 0).UTC() }

func TestName(t *testing.T) {
	for _, want := range []Snapshot{
		{Kind: Full, End: 12, Created: at(0)},
		{Kind: Delta, Start: 13, End: 200000000001, Created: at(5), Suffix: ".gz"},
		{Kind: Full, End: 12, Created: at(0), Suffix: ".zst", Final: true},
		{Kind: Delta, Start: 13, End: 20, Created: at(0), Suffix: ".gz", Generation: 12},
		{Kind: Full, End: 12, Created: at(0), Generation: 1, Final: true},
		{Kind: Full, End: 12, Created: at(0), Encrypted: true},
		{Kind: Delta, Start: 13, End: 20, Created: at(0), Suffix: ".zst", Encrypted: true, Generation: 1, Final: true},
		{Kind: Full, End: 12, Created: at(0), Suffix: ".gz", Generation: 1, Compacted: true},
		{Kind: Full, End: 12, Created: at(0), Suffix: ".gz", Encrypted: true, Compacted: true},
	} {
		got, ok := Parse(want.Key())
		if !ok || got != want {
			t.Errorf("%s is read as %+v, %v", want.Key(), got, ok)
		}
	}
	if got := (Snapshot{Kind: Full, End: 12, Created: at(0), Suffix: ".gz"}).Key(); got != "v2/Full-00000000-00000012-1700000000.gz" {
		t.Errorf("key %s", got)
	}
	if got := (Snapshot{Kind: Full, End: 12, Created: at(0), Suffix: ".gz", Encrypted: true, Generation: 2}).Key(); got != "v2/Full-00000000-00000012-1700000000.gz.age.g2" {
		t.Errorf("key %s", got)
	}
	for _, key := range []string{"Full-00000000-00000012-1", "v2/Full-1-2-3", "v2/Full-00000000-00000012-1.tmp", "v1/Full-00000000-00000012-1", "v2/Full-00000000-00000012-1.g0"} {
		if got, ok := Parse(key); ok {
			t.Errorf("%s is read as %+v", key, got)
		}
	}
}

func TestChains(t *testing.T) {
	full := func(second, end int64) Snapshot { return Snapshot{Kind: Full, End: end, Created: at(second)} }
	delta := func(second, start, end int64) Snapshot {
		return Snapshot{Kind: Delta, Start: start, End: end, Created: at(second)}
	}
	final := func(second, end int64) Snapshot {
		return Snapshot{Kind: Full, End: end, Created: at(second), Final: true}
	}
	next := func(s Snapshot) Snapshot { s.Generation++; return s }
	for name, tc := range map[string]struct {
		all  []Snapshot
		want []Chain
	}{
		"deltas follow their full snapshot in order": {
			all:  []Snapshot{delta(2, 21, 30), full(0, 10), delta(1, 11, 20)},
			want: []Chain{{Full: full(0, 10), Deltas: []Snapshot{delta(1, 11, 20), delta(2, 21, 30)}}},
		},
		"a delta of the same second follows its full snapshot": {
			all:  []Snapshot{delta(0, 11, 20), full(0, 10)},
			want: []Chain{{Full: full(0, 10), Deltas: []Snapshot{delta(0, 11, 20)}}},
		},
		"a gap ends a chain": {
			all:  []Snapshot{full(0, 10), delta(1, 12, 20)},
			want: []Chain{{Full: full(0, 10)}},
		},
		"an older full snapshot goes on with the deltas of the newer one": {
			all: []Snapshot{full(0, 10), delta(1, 11, 20), full(2, 20), delta(3, 21, 30)},
			want: []Chain{
				{Full: full(2, 20), Deltas: []Snapshot{delta(3, 21, 30)}},
				{Full: full(0, 10), Deltas: []Snapshot{delta(1, 11, 20), delta(3, 21, 30)}},
			},
		},
		"revisions order snapshots of a clock that was put back": {
			all: []Snapshot{full(900, 10), delta(950, 11, 20), delta(2, 21, 30), full(1, 30), delta(0, 31, 40)},
			want: []Chain{
				{Full: full(1, 30), Deltas: []Snapshot{delta(0, 31, 40)}},
				{Full: full(900, 10), Deltas: []Snapshot{delta(950, 11, 20), delta(2, 21, 30), delta(0, 31, 40)}},
			},
		},
		"a full snapshot contains the delta of the same revision": {
			all:  []Snapshot{full(0, 10), full(1, 20), delta(1, 11, 20)},
			want: []Chain{{Full: full(1, 20)}, {Full: full(0, 10), Deltas: []Snapshot{delta(1, 11, 20)}}},
		},
		"full snapshots of one revision are in order of time": {
			all:  []Snapshot{full(2, 10), final(1, 10)},
			want: []Chain{{Full: full(2, 10)}, {Full: final(1, 10)}},
		},
		"a final snapshot follows one of the same revision that was made of others, also by a clock that is ahead": {
			all:  []Snapshot{full(0, 10), {Kind: Full, End: 10, Created: at(9), Compacted: true}, final(1, 10)},
			want: []Chain{{Full: final(1, 10)}, {Full: full(0, 10)}, {Full: Snapshot{Kind: Full, End: 10, Created: at(9), Compacted: true}}},
		},
		"generations follow each other and share no deltas": {
			all: []Snapshot{full(0, 10), delta(1, 11, 30), next(full(2, 20)), next(delta(3, 21, 40)), delta(4, 31, 50)},
			want: []Chain{
				{Full: next(full(2, 20)), Deltas: []Snapshot{next(delta(3, 21, 40))}},
				{Full: full(0, 10), Deltas: []Snapshot{delta(1, 11, 30), delta(4, 31, 50)}},
			},
		},
		"of deltas that overlap the last one counts, as long as it continues": {
			all:  []Snapshot{full(0, 10), delta(1, 11, 20), delta(2, 21, 30), delta(4, 11, 25), delta(5, 26, 28), delta(3, 31, 40)},
			want: []Chain{{Full: full(0, 10), Deltas: []Snapshot{delta(4, 11, 25), delta(5, 26, 28), delta(2, 21, 30), delta(3, 31, 40)}}},
		},
		"no delta stands alone": {all: []Snapshot{delta(1, 11, 20)}},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Chains(tc.all)); diff != "" {
				t.Errorf("chains (-want +got):\n%s", diff)
			}
		})
	}
}
