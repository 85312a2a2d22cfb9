package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// anything stands in a document for text that readers need not see; alone on a line it stands for any number of lines.
const anything = "…"

// varying is what differs from one run to the next: times and ages, restarts, random parts of names, builds, ports.
var varying = []struct {
	what    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}T[\d:.]+Z`), "<time>"},
	{regexp.MustCompile(`-[0-9a-f]{7,10}-[a-z0-9]{5}\b`), "-<random>"}, // before durations, like which a name may look
	{regexp.MustCompile(`\b(\d+(\.\d+)? ?(ms|min|s|m|h|d))+\b`), "<duration>"},
	{regexp.MustCompile(`\bRunning +\d+( \(<duration> ago\))?`), "Running <restarts>"}, // on a machine that is starved, a probe fails
	{regexp.MustCompile(`\b0\.0\.0-[\w.+-]+`), "<build>"},
	{regexp.MustCompile(`\b8[4-9]\d3\b`), "<port>"},
	{regexp.MustCompile(`\b\d+(\.\d+)? [KMG]i?B\b`), "<size>"},
}

// passing are lines that depend on how fast the machine is: the progress of an operation.
var passing = regexp.MustCompile(`^\s+\w+ (Processing|Pending|Succeeded|Error) \(\d+%\)`)

// Compare returns an error if the output is not the documented one. Differences in white space do not count.
func Compare(documented []string, output string) error {
	want, got := normal(documented), normal(strings.Split(output, "\n"))
	if matches(want, got) {
		return nil
	}
	return fmt.Errorf("the document says:\n\t%s\nthe command prints:\n\t%s", strings.Join(want, "\n\t"), strings.Join(got, "\n\t"))
}

func normal(lines []string) []string {
	var out []string
	for _, line := range lines {
		if passing.MatchString(line) {
			continue
		}
		for _, v := range varying {
			line = v.what.ReplaceAllString(line, v.instead)
		}
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out = append(out, line)
		}
	}
	return sortDone(out)
}

// sortDone sorts lines about parts that are done, one after the other. They become ready side by side, so their order depends on the machine.
func sortDone(lines []string) []string {
	for begin := 0; begin < len(lines); begin++ {
		end := begin
		for end < len(lines) && strings.HasPrefix(lines[end], "✓ ") {
			end++
		}
		slices.Sort(lines[begin:end])
		begin = max(begin, end)
	}
	return lines
}

// matches reports whether the lines match, of which a wanted one may stand for any number.
func matches(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == anything:
		return matches(want[1:], got) || len(got) > 0 && matches(want, got[1:])
	}
	return len(got) > 0 && matchesLine(want[0], got[0]) && matches(want[1:], got[1:])
}

func matchesLine(want, got string) bool {
	parts := strings.Split(want, anything)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(got)
}
