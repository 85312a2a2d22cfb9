package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestStoreSurvivesReopening(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	s := open(t, file)
	if _, ok, err := s.Identity(); ok || err != nil {
		t.Fatalf("a new store has an identity: %v, %v", ok, err)
	}
	if err := errors.Join(
		s.SetIdentity(Identity{Name: "local", ID: "x"}), s.SetPort("etcd", 2379), s.Inventory().Add(Item{Kind: "process", ID: "7"}),
		s.Note(Entry{Time: time.Unix(1, 0), Step: "etcd"}), s.Close(),
	); err != nil {
		t.Fatal(err)
	}

	s = open(t, file)
	id, ok, err := s.Identity()
	if !ok || err != nil || id.Name != "local" {
		t.Errorf("identity = %+v, %v, %v", id, ok, err)
	}
	if port, err := s.Port("etcd"); port != 2379 || err != nil {
		t.Errorf("port = %d, %v", port, err)
	}
	if items, err := s.Inventory().Items(); len(items) != 1 || err != nil {
		t.Errorf("items = %v, %v", items, err)
	}
	if entries, err := s.Journal(); len(entries) != 1 || err != nil {
		t.Errorf("journal = %v, %v", entries, err)
	}
}

func TestHolder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "appliance.db"))
	items := s.Inventory()
	if err := items.Add(Item{Kind: ItemContainer, ID: "node"}); err != nil {
		t.Fatal(err)
	}
	if _, known, err := items.Holder(ItemContainer, "node"); known || err != nil {
		t.Errorf("MIG-5 an item that never moved has a holder: %v, %v", known, err)
	}
	for _, seed := range []string{"", "two"} {
		if err := errors.Join(items.Hold(ItemContainer, "node", seed), items.Add(Item{Kind: ItemContainer, ID: "node"})); err != nil {
			t.Fatal(err)
		}
		if got, known, err := items.Holder(ItemContainer, "node"); got != seed || !known || err != nil {
			t.Errorf("MIG-5 the holder is %q, %v, %v; want %q", got, known, err, seed)
		}
	}
	if err := errors.Join(items.Remove(ItemContainer, "node"), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenHalfWrittenTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	s := open(t, file)
	if err := errors.Join(s.SetPort("a", 1), s.SetPort("b", 2), s.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, info.Size()-3); err != nil {
		t.Fatal(err)
	}
	s = open(t, file)
	if port, err := s.Port("a"); port != 1 || err != nil {
		t.Errorf("what was complete is lost: %d, %v", port, err)
	}
}

func TestOpenRefusesDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	if err := os.WriteFile(file, []byte("this is no store\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); !errors.Is(err, ErrUnreadable) {
		t.Errorf("got %v, want ErrUnreadable", err)
	}
}

func open(t *testing.T, file string) *Store {
	t.Helper()
	s, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
