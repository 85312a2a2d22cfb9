package once

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sleepers are the tests in which time really has to pass, with the reason. All others wait with testenv.Env.Until, testwait or a
// channel.
var sleepers = map[string]string{
	"appliance/daemon/rotate_test.go":                          "the pace of a process that writes a log",
	"cmd/gardener/app/ends_test.go":                            "a process that a panic ends",
	"cmd/gardener/app/memory_test.go":                          "the time of a bubble of testing/synctest passes at once",
	"e2e/faults/disk_test.go":                                  "components renew their leases on a full disk",
	"e2e/faults/early_test.go":                                 "a command is to come at whatever another one does then",
	"e2e/faults/faults_test.go":                                "the daemon is to be killed at whatever it does at a random time",
	"e2e/faults/laptop_test.go":                                "the machine is to be suspended for a time",
	"embedded/backuprestore/integration/property_test.go":      "a process is to be killed at whatever it does at a random time",
	"embedded/etcd/full_test.go":                               "the pace of users: etcd knows its usage a moment later",
	"embedded/etcd/watchdog_test.go":                           "the time of a bubble of testing/synctest passes at once",
	"embedded/gardenapi/integration/admission_objects_test.go": "informers inside the server cannot be watched",
	"embedded/node/runtime/runtime_test.go":                    "processes that run until the test kills them",
	"embedded/node/runtime/trust_test.go":                      "a simulated container uses time of processors",
	"embedded/webhook/limits_test.go":                          "the time of a bubble of testing/synctest passes at once",
	"local/registrycache/proxy/proxy_test.go":                  "the time of a bubble of testing/synctest passes at once",
}

// sleeps returns a complaint for each test file that sleeps without a reason, and for each reason that no file needs.
func sleeps(files, reasons map[string]string) []string {
	var complaints []string
	needed := map[string]bool{}
	for path, text := range files {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		number := 0
		for line := range strings.Lines(text) {
			number++
			code, _, _ := strings.Cut(line, "//")
			if !strings.Contains(code, "time.Sleep") { // also as a value
				continue
			}
			needed[path] = true
			if reasons[path] == "" {
				complaints = append(complaints, fmt.Sprintf("%s:%d sleeps: wait with testenv.Env.Until, embedded/testwait or a channel", path, number))
			}
		}
	}
	for path := range reasons {
		if !needed[path] {
			complaints = append(complaints, path+" does not sleep: remove its reason")
		}
	}
	slices.Sort(complaints)
	return complaints
}

func TestTestsDoNotSleep(t *testing.T) {
	files := sources(t)
	maps.DeleteFunc(files, func(path, _ string) bool { return path == "hack/once/sleep_test.go" })
	for _, complaint := range sleeps(files, sleepers) {
		t.Error(complaint)
	}
}

func TestSleepsAreFound(t *testing.T) {
	const loop = "package a\n\nfunc f() {\n\tfor !done() {\n\t\ttime.Sleep(time.Second)\n\t}\n}\n"
	got := sleeps(
		map[string]string{"a/a.go": loop, "a/a_test.go": loop, "a/value_test.go": "var pause = time.Sleep\n", "a/said_test.go": "// no time.Sleep here\n", "b/b_test.go": loop},
		map[string]string{"b/b_test.go": "reason", "c/c_test.go": "reason"},
	)
	want := []string{
		"a/a_test.go:5 sleeps: wait with testenv.Env.Until, embedded/testwait or a channel",
		"a/value_test.go:1 sleeps: wait with testenv.Env.Until, embedded/testwait or a channel",
		"c/c_test.go does not sleep: remove its reason",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}
