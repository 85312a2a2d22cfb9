package own

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func TestClusterOfASeedIsNotMadeAnew(t *testing.T) {
	landscape, err := store.Open(filepath.Join(t.TempDir(), "appliance.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer landscape.Close()
	p, err := paths.New(filepath.Join(t.TempDir(), "two"))
	if err := errors.Join(err, p.Create(), landscape.SetSeed(store.Seed{Name: "two"})); err != nil {
		t.Fatal(err)
	}
	record := &record{store: landscape, name: "two"}
	identify := func(id string) {
		t.Helper()
		s, err := store.Open(p.Store())
		if err := errors.Join(err, s.SetIdentity(store.Identity{Name: "local", ID: id}), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	same := func() error {
		t.Helper()
		noted, _, err := record.get()
		if err != nil {
			t.Fatal(err)
		}
		return sameCluster("two", noted, p)
	}
	check := func(name string, good func() bool) {
		t.Helper()
		t.Run("APP-4 "+name, func(t *testing.T) {
			if !good() {
				t.Errorf("error is %v", same())
			}
		})
	}
	check("a seed that was never ready may be made", func() bool { return same() == nil })
	identify("local-1")
	check("its own state is accepted", func() bool { return noteCluster(record, p) == nil && same() == nil && noteCluster(record, p) == nil })
	refused := func(part string) func() bool {
		return func() bool {
			err := same()
			return err != nil && strings.Contains(err.Error(), part) && strings.Contains(err.Error(), "backup")
		}
	}
	identify("local-2")
	check("the state of another cluster is refused", refused(`"local-2"`))
	if err := os.RemoveAll(p.Root()); err != nil {
		t.Fatal(err)
	}
	check("a cluster whose state is gone is not made anew", refused(p.Root()))
}
