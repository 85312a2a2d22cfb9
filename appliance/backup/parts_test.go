package backup

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

func TestShares(t *testing.T) {
	for _, tc := range []struct {
		weights, want []int
		room          int
	}{
		{[]int{5, 10, 1}, []int{9, 14, 6}, 20},          // enough for all
		{[]int{1000, 10, 1000}, []int{45, 33, 45}, 100}, // the large ones get the same
		{nil, []int{}, 100},
	} {
		got := shares(tc.weights, tc.room)
		total := 0
		for i, share := range got {
			total += min(share, tc.weights[i])
		}
		if !slices.Equal(got, tc.want) || total > tc.room {
			t.Errorf("APP-21 shares of %v are %v", tc.weights, got)
		}
	}
}

// A tenant with very many files takes the room of no other, and of nothing else.
func TestATenantCannotFillAnArchive(t *testing.T) {
	t.Run("APP-21 a tenant with very many files takes the room of no other", greedy)
}

func greedy(t *testing.T) {
	dir := t.TempDir()
	for i := range 500 {
		name := filepath.Join(dir, "greedy", fmt.Sprint(i%3), fmt.Sprint(i))
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		name := filepath.Join(dir, "modest", fmt.Sprint(i))
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	out, err := archive.NewWriter(&text, archive.Header{Landscape: "local", Identity: "id"})
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	walk := tree{ctx: t.Context(), out: out, tenants: true, warn: func(text string) { warnings = append(warnings, text) }, room: func() int { return 100 }}
	if err := walk.addParts(dir, "volumes"); err != nil {
		t.Fatal(err)
	}
	manifest, err := out.Close()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, entry := range manifest.Entries {
		if parts := strings.Split(entry.Path, "/"); len(parts) > 1 {
			count[parts[1]]++
		}
	}
	if count["modest"] != 21 || count["greedy"] < 50 || count["greedy"] > 80 {
		t.Errorf("APP-21 entries: %v", count)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "greedy") {
		t.Errorf("APP-21 warnings: %q", warnings)
	}
	if _, _, err := archive.Verify(t.Context(), &text); err != nil {
		t.Error(err)
	}
}

// What fails because of the machine, or without a tenant, is no loss that a warning could tell.
func TestTolerate(t *testing.T) {
	for name, tc := range map[string]struct {
		tree tree
		err  error
		lost bool
	}{
		"of a tenant":        {tree{tenants: true}, unread{fs.ErrPermission}, true},
		"of the landscape":   {tree{}, unread{fs.ErrPermission}, false},
		"of the destination": {tree{tenants: true}, fs.ErrPermission, false},
		"of the disk":        {tree{tenants: true}, unread{&fs.PathError{Err: syscall.EIO}}, false},
	} {
		tc.tree.lost = &losses{}
		if err := tc.tree.tolerate("a", tc.err); (err == nil) != tc.lost || (len(tc.tree.lost.byReason) > 0) != tc.lost {
			t.Errorf("APP-21 %s: %v", name, err)
		}
	}
}
