package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnchangedMappings(t *testing.T) {
	const smaps = `00400000-00500000 r-xp 00000000 08:01 42 /opt/a gardener
Size:               1024 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
00500000-00600000 r--p 00100000 08:01 42 /opt/a gardener
Anonymous:             4 kB
00600000-00700000 rw-p 00200000 08:01 42 /opt/a gardener
Anonymous:             0 kB
00700000-00800000 r--p 00000000 08:01 43 /usr/share/zoneinfo
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0
Anonymous:             0 kB
`
	got := unchanged(bufio.NewScanner(strings.NewReader(smaps)), "/opt/a gardener")
	want := []mapping{{0x400000, 0x100000}} // neither what was changed nor what can be, nor other files
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(mapping{})); diff != "" {
		t.Errorf("mappings (-want +got):\n%s", diff)
	}
}

func TestTheProgramRunsOnWithoutItsPages(t *testing.T) {
	before := resident(t)
	unmapStart()
	if after := resident(t); after > before/2 {
		t.Errorf("%d KiB of the binary are in memory, %d KiB before", after, before)
	}
	if got := strings.ToUpper("xyz"); got != "XYZ" {
		t.Errorf("got %q", got)
	}
}

// resident is how much of the binary of this test is mapped into its memory, in KiB.
func resident(t *testing.T) (sum int) {
	t.Helper()
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	ours := false
	for line := range strings.Lines(string(smaps)) {
		fields := strings.Fields(line)
		if _, begins := header(fields); begins {
			ours = strings.HasSuffix(strings.TrimSpace(line), exe)
		}
		if !ours || fields[0] != "Rss:" {
			continue
		}
		size, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += size
	}
	if sum == 0 {
		t.Fatalf("no page of %s is in memory", exe)
	}
	return sum
}
