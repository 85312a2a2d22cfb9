package etcd

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestUnmap(t *testing.T) {
	if runtime.GOOS != "linux" {
		testskip.OutsideCI(t, "only Linux tells which pages are mapped")
	}
	config := small(t)
	config.Quota = 8 * MinQuota
	s := start(t, config)
	member := s.member.Load()
	const keys = 80
	for i := range keys {
		if err := put(t.Context(), member, fmt.Sprintf("key-%d", i), big); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(config.DataDir, "member", "snap", "db")
	read := func() {
		for i := range keys {
			answer, err := member.Range(t.Context(), &etcdserverpb.RangeRequest{Key: fmt.Appendf(nil, "key-%d", i)})
			if err != nil || len(answer.Kvs) != 1 || string(answer.Kvs[0].Value) != strings.Repeat("x", big) {
				t.Fatalf("key %d is not what was written (%v)", i, err)
			}
		}
	}
	testwait.Until(t, "the growing database is not in the memory of the process", func() error {
		if mapped := resident(t, db); mapped > 2*unmapBytes {
			return fmt.Errorf("%d bytes of it are", mapped)
		}
		return nil
	})
	member.Backend().ForceCommit()
	read() // maps everything again
	if err := (inside{server: member}).unmap(t.Context(), config.DataDir); err != nil {
		t.Fatal(err)
	}
	if mapped := resident(t, db); mapped > unmapBytes/4 {
		t.Errorf("%d bytes of the database are in the memory of the process", mapped)
	}
	read()
}

func TestUnmapIsDue(t *testing.T) {
	var p pages
	for _, step := range []struct {
		size int64
		want bool
	}{{unmapBytes, true}, {unmapBytes + 1, false}, {2 * unmapBytes, true}, {2*unmapBytes + 5, false}, {unmapBytes, true}} {
		if got := p.due(step.size); got != step.want {
			t.Errorf("at %d bytes: %v", step.size, got)
		}
	}
	for range unmapTicks - 1 {
		if p.due(unmapBytes) {
			t.Fatal("too early")
		}
	}
	if !p.due(unmapBytes) {
		t.Error("not due after a minute")
	}
}

// resident is how many bytes of a file are in the memory of this process.
func resident(t *testing.T, path string) (bytes int64) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, found := bufio.NewScanner(file), false
	for within := false; lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if !strings.HasSuffix(fields[0], ":") { // the first line of a mapping
			within = strings.HasSuffix(lines.Text(), " "+path)
			found = found || within
		}
		if within && fields[0] == "Rss:" {
			var kilobytes int64
			if _, err := fmt.Sscan(fields[1], &kilobytes); err != nil {
				t.Fatal(err)
			}
			bytes += kilobytes << 10
		}
	}
	if !found {
		t.Fatalf("%s is not mapped", path)
	}
	return bytes
}
