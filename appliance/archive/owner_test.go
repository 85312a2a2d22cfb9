package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOwners(t *testing.T) {
	t.Run("APP-21 extraction gives files to their owners, where this process may", owners)
}

func owners(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, header)
	if err != nil {
		t.Fatal(err)
	}
	database, group := Owner{User: 999, Group: 998}, Owner{Group: 2000}
	_, err = w.File("volumes/a/data", 0o600, database, 4, strings.NewReader("data"))
	err = errors.Join(w.Dir("volumes", 0o755, Owner{}), w.Dir("volumes/a", 0o500, database), err, w.Dir("volumes/b", 0o770, group), w.Link("volumes/b/link", "..", database))
	if _, closed := w.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	dir, err := extract(t, out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	me := Owner{User: uint32(os.Geteuid()), Group: uint32(os.Getegid())}
	want := map[string]Owner{"volumes": me, "volumes/a": database, "volumes/a/data": database, "volumes/b": group, "volumes/b/link": database}
	if me.User != 0 {
		want = map[string]Owner{"volumes": me, "volumes/a": me, "volumes/a/data": me, "volumes/b": me, "volumes/b/link": me}
	}
	got := map[string]Owner{}
	for name := range want {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		got[name] = Owner{stat.Uid, stat.Gid}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
}
