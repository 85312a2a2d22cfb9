package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

var rows = []Row{
	{What: "start", Target: "≤ 8 s", Unit: Seconds, Values: stats.Sample{5, 4.123, 6}, Peer: stats.Sample{3, 2}, Comparable: true},
	{What: "download", Unit: Bytes, Values: stats.Sample{123456789}},
	{What: "CPU", Target: "≤ 5 %", Unit: Percent, Comparable: true},
}

func TestText(t *testing.T) {
	var out strings.Builder
	if err := Text(&out, rows, "bare"); err != nil {
		t.Fatal(err)
	}
	const want = `what      target           median     p95     min     max  runs  bare: median     min     max
start     ≤ 8 s            5.00 s  6.00 s  4.12 s  6.00 s     3        2.50 s  2.00 s  3.00 s
download  -       123456789 bytes       -       -       -     1             -       -       -
CPU       ≤ 5 %      not measured       -       -       -     0  not measured       -       -
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarkdown(t *testing.T) {
	var out strings.Builder
	if err := Markdown(&out, rows[:1], "bare"); err != nil {
		t.Fatal(err)
	}
	const want = `| what | target | median | p95 | min | max | runs | bare: median | min | max |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| start | ≤ 8 s | 5.00 s | 6.00 s | 4.12 s | 6.00 s | 3 | 2.50 s | 2.00 s | 3.00 s |
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMissing(t *testing.T) {
	measured := stats.Sample{1}
	for name, tc := range map[string]struct {
		row  Row
		want bool
	}{
		"a row without a peer is complete by its values": {Row{Values: measured}, false},
		"values are missing":                             {Row{Peer: measured, Comparable: true}, true},
		"the peer is missing":                            {Row{Values: measured, Comparable: true}, true},
		"both are there":                                 {Row{Values: measured, Peer: measured, Comparable: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.row.Missing(); got != tc.want {
				t.Errorf("missing: %v", got)
			}
		})
	}
}
