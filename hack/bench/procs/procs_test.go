package procs

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	const tail = " S 1 77 77 0 -1 4194560 9000 0 3 0 120 35 7 9 20 0 14 0 4711 1300000000 30000 18446744073709551615 1 1 0"
	for name, tc := range map[string]struct {
		text string
		want times
		fail bool
	}{
		"user and system time count, that of children does not": {text: "77 (gardener)" + tail, want: times{4711, 1550 * time.Millisecond}},
		"a name with blanks and parentheses":                    {text: "77 (a) 1 (b c)" + tail, want: times{4711, 1550 * time.Millisecond}},
		"a line that is cut off":                                {text: "77 (gardener) S 1 77", fail: true},
		"no name":                                               {text: "", fail: true},
		"a field that is no number":                             {text: "77 (x) S 1 77 77 0 -1 1 1 0 3 0 many 35 7 9 20 0 14 0 4711 1", fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseStat(tc.text)
			if (err != nil) != tc.fail {
				t.Fatalf("error %v, want one: %v", err, tc.fail)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(times{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRollup(t *testing.T) {
	const text = `00400000-7ffe45a8b000 ---p 00000000 00:00 0                              [rollup]
Rss:              425344 kB
Pss:              400123 kB
Pss_Dirty:        300000 kB
SwapPss:               7 kB
`
	for name, tc := range map[string]struct {
		text string
		want Memory
		fail bool
	}{
		"Rss and Pss in bytes, no other line": {text: text, want: Memory{RSS: 425344 * 1024, PSS: 400123 * 1024}},
		"a process without memory":            {text: "", fail: true},
		"a line without its value":            {text: "Rss: kB\nPss: 1 kB\n", fail: true},
		"a value that is no number":           {text: "Rss: x kB\nPss: 1 kB\n", fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseRollup(tc.text)
			if (err != nil) != tc.fail {
				t.Fatalf("error %v, want one: %v", err, tc.fail)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPercent(t *testing.T) {
	a, b, reused := process{1, 10}, process{2, 20}, process{1, 99}
	for name, tc := range map[string]struct {
		before, after map[process]time.Duration
		want          float64
	}{
		"only what was used in between":             {map[process]time.Duration{a: time.Hour}, map[process]time.Duration{a: time.Hour + time.Second}, 10},
		"processes add up":                          {map[process]time.Duration{a: 0, b: 0}, map[process]time.Duration{a: time.Second, b: 2 * time.Second}, 30},
		"a new process counts from its start":       {map[process]time.Duration{a: 0}, map[process]time.Duration{a: 0, b: time.Second}, 10},
		"a process that ended does not count":       {map[process]time.Duration{a: time.Second, b: 0}, map[process]time.Duration{b: time.Second}, 10},
		"an id used again is another process":       {map[process]time.Duration{a: time.Hour}, map[process]time.Duration{reused: time.Second}, 10},
		"more than one core is more than a hundred": {map[process]time.Duration{a: 0}, map[process]time.Duration{a: 15 * time.Second}, 150},
	} {
		t.Run(name, func(t *testing.T) {
			if got := percent(tc.before, tc.after, 10*time.Second); got != tc.want {
				t.Errorf("%v %%, want %v %%", got, tc.want)
			}
		})
	}
}

func TestThisProcess(t *testing.T) {
	self := []int{os.Getpid()}
	m, err := MemoryOf(self)
	if err != nil {
		t.Fatal(err)
	}
	if m.PSS <= 0 || m.RSS < m.PSS {
		t.Errorf("memory of this process: %+v", m)
	}
	if _, err := CPU(t.Context(), time.Millisecond, func() []int { return self }); err != nil {
		t.Error(err)
	}
	if _, err := MemoryOf(nil); err == nil {
		t.Error("the memory of nothing was measured")
	}
}
