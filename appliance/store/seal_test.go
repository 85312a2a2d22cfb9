package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSeal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	s := open(t, file)
	seal := func(s *Store) Seal {
		t.Helper()
		seal, err := s.Seal()
		if err != nil {
			t.Fatal(err)
		}
		return seal
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	reopened := func() *Store { return open(t, file) } // for all subtests
	must(s.SetPorts(map[string]int32{"a": 1, "b": 2}))
	first := seal(s)
	t.Run("APP-4 the same values, the journal and another opening change no seal", func(t *testing.T) {
		must(errors.Join(s.SetPort("a", 1), s.Note(Entry{Time: time.Unix(1, 0), Step: "etcd"}), s.Inventory().Remove(ItemPath, "unknown"), s.Close()))
		s = reopened()
		if again := seal(s); again != first {
			t.Errorf("seal is %+v, was %+v", again, first)
		}
	})
	t.Run("APP-4 each change has its own revision", func(t *testing.T) {
		must(s.Inventory().Add(Item{Kind: ItemPath, ID: "x"}, Item{Kind: ItemPath, ID: "y"}))
		added := seal(s)
		must(s.Inventory().Remove(ItemPath, "x"))
		removed := seal(s)
		if added.Revision != first.Revision+1 || removed.Revision != first.Revision+2 || added.Sum == first.Sum || removed.Sum == added.Sum {
			t.Errorf("seals are %+v, %+v, %+v", first, added, removed)
		}
	})
	t.Run("APP-4 a store that is cut anywhere has another seal, or cannot be read", func(t *testing.T) {
		whole := seal(s)
		text, err := os.ReadFile(file)
		must(err)
		cut := filepath.Join(t.TempDir(), "cut.db")
		for n := range len(text) {
			must(os.WriteFile(cut, text[:n], 0o600))
			part, err := Read(cut)
			if err != nil {
				continue
			}
			if got := seal(part); got.Revision > whole.Revision || got == whole {
				t.Errorf("the first %d of %d bytes have seal %+v", n, len(text), got)
			}
			must(part.Close())
		}
	})
	t.Run("APP-4 a copy has the same seal", func(t *testing.T) {
		var copied bytes.Buffer
		must(s.Copy(&copied))
		other := filepath.Join(t.TempDir(), "copy.db")
		must(os.WriteFile(other, copied.Bytes(), 0o600))
		if got, want := seal(open(t, other)), seal(s); got != want {
			t.Errorf("seal is %+v, want %+v", got, want)
		}
	})
	t.Run("APP-4 who waits for changes sees them, and its error is that of the change", func(t *testing.T) {
		boom := errors.New("boom")
		var seen int32
		s.OnChange(func() (err error) {
			seen, err = s.Port("a")
			return errors.Join(err, boom)
		})
		if err := s.SetPort("a", 7); !errors.Is(err, boom) || seen != 7 {
			t.Errorf("saw %d, error is %v", seen, err)
		}
	})
}

func TestReadChangesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	if _, err := Read(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
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
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if port, err := read.Port("a"); port != 1 || err != nil {
		t.Errorf("port is %d, %v", port, err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
	if err := os.WriteFile(file, []byte("this is no store\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); !errors.Is(err, ErrUnreadable) {
		t.Errorf("got %v, want ErrUnreadable", err)
	}
}
