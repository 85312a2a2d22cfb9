package rows

import (
	"strings"
	"testing"
	"time"
)

// seedExtension gives the seed an extension and takes it away again.
func seedExtension(t *testing.T, f *fixture) {
	const typ = "local-ext-seed"
	if r := f.TryKubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--type=merge", "-p", `{"spec":{"extensions":[{"type":"`+typ+`"}]}}`); r.Code == 0 || !strings.Contains(r.Stderr, "does not work for clusters of type shoot") {
		t.Errorf("a shoot gets an extension for seeds: code %d, %s", r.Code, r.Stderr)
	}
	f.Kubectl(f.Garden(), "patch", "seed", "local", "--type=merge", "-p", `{"spec":{"extensions":[{"type":"`+typ+`","providerConfig":{"a":"b"}}]}}`)
	f.Eventually(time.Minute, "the extension of the seed is made", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", "garden", "get", "extension", typ, "-o", "jsonpath={.spec.class} {.spec.providerConfig} {.status.lastOperation.state}")
		return r.Stdout == `seed {"a":"b"} Succeeded`, r.Stdout + r.Stderr
	})
	f.Eventually(time.Minute, "the seed is ready", func() (bool, string) {
		got := f.get(f.Garden(), []string{"get", "seed", "local"}, "{.status.lastOperation.state} {.status.observedGeneration}")
		return got == "Succeeded "+f.get(f.Garden(), []string{"get", "seed", "local"}, "{.metadata.generation}"), got
	})
	f.Kubectl(f.Garden(), "patch", "seed", "local", "--type=merge", "-p", `{"spec":{"extensions":null}}`)
	f.Eventually(time.Minute, "it goes", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", "garden", "get", "extension", typ)
		return r.Code != 0 && strings.Contains(r.Stderr, "NotFound"), r.Stdout + r.Stderr
	})
}
