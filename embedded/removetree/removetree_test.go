package removetree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/removetree"
)

// removing makes this binary remove a tree with few file descriptors.
const removing = "REMOVETREE_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(removing); dir != "" {
		few := unix.Rlimit{Cur: 32, Max: 32}
		if err := errors.Join(unix.Setrlimit(unix.RLIMIT_NOFILE, &few), removetree.All(context.Background(), dir)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// deep makes directories in one another, with something in each.
func deep(t *testing.T, dir string, depth int, mode uint32) {
	t.Helper()
	check(t, os.MkdirAll(dir, 0o700))
	at, err := unix.Open(dir, unix.O_DIRECTORY, 0)
	check(t, err)
	for i := range depth {
		check(t, unix.Mkdirat(at, "directory", 0o700))
		check(t, unix.Symlinkat("/", at, "link"))
		if i%100 == 0 {
			check(t, unix.Mkdirat(at, "another", 0o700))
			check(t, unix.Symlinkat("..", at, "another/link"))
		}
		next, err := unix.Openat(at, "directory", unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		check(t, err)
		check(t, unix.Fchmod(at, mode))
		check(t, unix.Close(at))
		at = next
	}
	check(t, unix.Close(at))
}

func gone(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", dir, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The tree is deeper than a process has file descriptors, and its path longer than PATH_MAX.
func TestADeepTree(t *testing.T) {
	t.Run("APP-16 a volume is removed at any depth", deepTree)
}

func deepTree(t *testing.T) {
	for _, mode := range []uint32{0o700, 0o500, 0} {
		dir := filepath.Join(t.TempDir(), "deep")
		deep(t, dir, 600, mode)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), removing+"="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("APP-16 with mode %o: %v: %s", mode, err, out)
		}
		gone(t, dir)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	kept := filepath.Join(outside, "a/b")
	check(t, os.MkdirAll(kept, 0o500))
	check(t, os.MkdirAll(filepath.Join(dir, "tree/in"), 0o700))
	for _, link := range []string{"tree/link", "tree/in/link", "link"} {
		check(t, os.Symlink(outside, filepath.Join(dir, link)))
	}
	root, err := os.OpenRoot(dir)
	check(t, err)
	defer root.Close()
	for _, name := range []string{"tree", "link", "missing", "missing/too"} {
		check(t, removetree.In(t.Context(), root, name))
		gone(t, filepath.Join(dir, name))
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("APP-16 what links lead to has changed: %v, %v", info, err)
	}
	if err := removetree.In(t.Context(), root, "../"+filepath.Base(outside)); err == nil {
		t.Error("APP-16 a path outside of the root is removed")
	}
}

func TestWideTrees(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wide")
	for i := range 10 {
		for k := range 40 {
			check(t, os.MkdirAll(filepath.Join(dir, fmt.Sprint(i), fmt.Sprint(k), "in"), 0o700))
		}
	}
	for i := range 1500 {
		check(t, os.WriteFile(filepath.Join(dir, "7", fmt.Sprint("file-", i)), nil, 0o600))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := removetree.All(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	check(t, removetree.All(t.Context(), dir))
	gone(t, dir)
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	check(t, removetree.All(t.Context(), file))
	gone(t, file)
}
