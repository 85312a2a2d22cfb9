package app

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// heap is what a collection begins with, in MB, in a line of the collector's trace.
var heap = regexp.MustCompile(`(?m)^gc \d+ @.* (\d+)->\d+->\d+ MB`)

// A process of these packages that does nothing else collects next to nothing. Some packages come before the collector's.
func TestNothingIsCollectedBeforeMain(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$") //nolint:gosec // this test itself
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1", "GOGC=100")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, match := range heap.FindAllStringSubmatch(string(out), -1) {
		if megabytes, err := strconv.Atoi(match[1]); err != nil || megabytes > 4 {
			t.Errorf("garbage is collected before main:\n%s", match[0])
		}
	}
}
