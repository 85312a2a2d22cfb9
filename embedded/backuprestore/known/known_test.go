package known

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

func full(generation, end, second int64) snapshot.Snapshot {
	return snapshot.Snapshot{Kind: snapshot.Full, Generation: generation, End: end, Created: time.Unix(1700000000+second, 0).UTC(), Suffix: ".zst"}
}

func delta(generation, end int64) snapshot.Snapshot {
	return snapshot.Snapshot{Kind: snapshot.Delta, Generation: generation, Start: end - 5, End: end, Created: time.Unix(1700000000, 0).UTC()}
}

func TestFollows(t *testing.T) {
	noted := func(all ...snapshot.Snapshot) []snapshot.Snapshot { return all }
	for name, tc := range map[string]struct {
		noted      []snapshot.Snapshot
		newest     snapshot.Snapshot
		current    int64
		generation int64
		follows    bool
	}{
		"data that note the newest snapshot":                            {noted(delta(1, 20)), delta(1, 20), 25, 1, true},
		"data whose last snapshot was not stored":                       {noted(delta(1, 20), delta(1, 30)), delta(1, 20), 30, 1, true},
		"data of which a snapshot appears that seemed to have failed":   {noted(delta(1, 20), delta(1, 30), delta(1, 35)), delta(1, 30), 40, 1, true},
		"data whose copy has stored a snapshot between two of theirs":   {noted(delta(1, 20), delta(1, 30)), delta(1, 25), 40, 2, false},
		"data whose generation has no snapshot yet but the right start": {noted(delta(0, 20), full(1, 19, 0)), delta(0, 20), 40, 1, false},
		"data that were put back":                                       {noted(delta(1, 20)), delta(1, 30), 22, 2, false},
		"data that were put back and have overtaken the snapshot":       {noted(delta(1, 20)), delta(1, 30), 1000, 2, false},
		"data put back to before a full snapshot of the same revision":  {noted(delta(0, 20)), full(0, 20, 0), 25, 1, false},
		"data put back to before a later one of the same revision":      {noted(full(0, 20, 0)), full(0, 20, 1), 25, 1, false},
		"data of a former generation":                                   {noted(delta(0, 90)), delta(1, 30), 90, 2, false},
		"data whose generation has no snapshot yet":                     {noted(delta(1, 25), full(2, 20, 0)), delta(1, 30), 40, 2, false},
		"data with a damaged note":                                      {[]snapshot.Snapshot{}, delta(0, 20), 25, 1, false},
		"data from before there were notes":                             {nil, delta(0, 20), 20, 0, true},
		"data from before there were notes that have a lower revision":  {nil, delta(0, 20), 19, 1, false},
		"data with the right note and the wrong log":                    {noted(delta(0, 20)), delta(0, 20), 19, 1, false},
		"data with a lower revision that note a snapshot never stored":  {noted(delta(0, 20), delta(0, 30)), delta(0, 20), 19, 1, false},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if generation, follows := Follows(tc.noted, tc.newest, tc.current); generation != tc.generation || follows != tc.follows {
				t.Errorf("generation %d, follows %v; want %d, %v", generation, follows, tc.generation, tc.follows)
			}
		})
	}
}

func TestNote(t *testing.T) {
	dir := t.TempDir()
	member := filepath.Join(dir, "member")
	if err := os.Mkdir(member, 0o700); err != nil {
		t.Fatal(err)
	}
	reads := func(want []snapshot.Snapshot) {
		t.Helper()
		got, err := In(dir).Read()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("note (-want +got):\n%s%v", diff, err)
		}
	}
	reads(nil)
	for _, all := range [][]snapshot.Snapshot{{full(0, 12, 0)}, {full(0, 12, 0), delta(3, 20)}} {
		if err := In(dir).Write(all...); err != nil {
			t.Fatal(err)
		}
		reads(all)
	}
	for _, damaged := range []string{"", "v2/Full-", full(0, 12, 0).Key() + "\nv2/In"} {
		if err := os.WriteFile(filepath.Join(member, file), []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		reads([]snapshot.Snapshot{})
	}
	if err := os.Remove(filepath.Join(member, file)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(member, file), 0o700); err != nil {
		t.Fatal(err)
	}
	if all, err := In(dir).Read(); err == nil || all == nil || len(all) != 0 {
		t.Errorf("a note that cannot be read: %v, %v", all, err)
	}
	for range 2 {
		if err := In(dir).Remove(); err != nil {
			t.Error(err)
		}
	}
	reads(nil)
	if err := In(filepath.Join(dir, "none")).Write(full(0, 1, 0)); err == nil {
		t.Error("a note without a data directory")
	}
	if all, err := (Note{}).Read(); all != nil || err != nil || (Note{}).Write(delta(0, 9)) != nil {
		t.Errorf("no note: %v, %v", all, err)
	}
}

func TestTidy(t *testing.T) {
	dir := t.TempDir()
	if err := In(dir).Tidy(); err != nil {
		t.Errorf("without a data directory: %v", err)
	}
	member := filepath.Join(dir, "member")
	if err := os.Mkdir(member, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"." + file + ".tmp-123", "." + file + ".tmp-45", ".other.tmp-6", file, "snap", "wal"} {
		if err := os.WriteFile(filepath.Join(member, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := In(dir).Tidy(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(member)
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if diff := cmp.Diff([]string{".other.tmp-6", file, "snap", "wal"}, left); err != nil || diff != "" {
		t.Errorf("files that stay (-want +got):\n%s%v", diff, err)
	}
}

func TestWith(t *testing.T) {
	var noted []snapshot.Snapshot
	for i := range int64(2 * most) {
		noted = With(noted, delta(0, i))
	}
	if len(noted) != most || !Has(noted, delta(0, 0)) || Has(noted, delta(0, most)) || !Has(noted, delta(0, most+1)) || !Has(noted, delta(0, 2*most-1)) {
		t.Errorf("%d snapshots: %v", len(noted), noted)
	}
}

func TestNewest(t *testing.T) {
	merged := snapshot.Snapshot{Kind: snapshot.Full, End: 9, Created: delta(0, 9).Created, Compacted: true}
	for name, tc := range map[string]struct {
		noted, all []snapshot.Snapshot
		want       snapshot.Snapshot
	}{
		"of the etcd": {all: []snapshot.Snapshot{delta(0, 5), delta(0, 9)}, want: delta(0, 9)},
		"made of others, whose last one is there":     {noted: []snapshot.Snapshot{delta(0, 5)}, all: []snapshot.Snapshot{delta(0, 5), delta(0, 9), merged}, want: delta(0, 9)},
		"made of others, whose last one is noted":     {noted: []snapshot.Snapshot{delta(0, 9)}, all: []snapshot.Snapshot{merged}, want: delta(0, 9)},
		"made of others, and restored":                {noted: []snapshot.Snapshot{merged}, all: []snapshot.Snapshot{delta(0, 9), merged}, want: merged},
		"made of others, of which nothing is known":   {noted: []snapshot.Snapshot{delta(0, 5)}, all: []snapshot.Snapshot{delta(0, 5), merged}, want: merged},
		"made of others, with the end of another one": {noted: []snapshot.Snapshot{delta(1, 9)}, all: []snapshot.Snapshot{merged}, want: merged},
	} {
		t.Run("ETC-10 the newest snapshot is "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Newest(tc.noted, tc.all)); diff != "" {
				t.Errorf("snapshot (-want +got):\n%s", diff)
			}
		})
	}
}
