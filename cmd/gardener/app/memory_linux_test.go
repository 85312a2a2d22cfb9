package app

import (
	"bufio"
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
	before := strings.Repeat("x", 3)
	unmapStart()
	if got := strings.ToUpper(before); got != "XXX" {
		t.Errorf("got %q", got)
	}
}
