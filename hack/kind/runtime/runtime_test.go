package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	allCapabilities = "Name:\tx\nCapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n"
	noSysResource   = "CapBnd:\t000001fffeffffff\n"
)

func TestMissingCapabilities(t *testing.T) {
	for name, tc := range map[string]struct {
		status  string
		want    map[string]bool
		wantErr bool
	}{
		"a full bounding set misses nothing":              {status: allCapabilities, want: map[string]bool{}},
		"bit 24 is CAP_SYS_RESOURCE":                      {status: noSysResource, want: map[string]bool{sysResource: true}},
		"a status without bounding set is not understood": {status: "Name:\tx\n", wantErr: true},
		"a bounding set that is no number is refused":     {status: "CapBnd:\tx\n", wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := missingCapabilities(tc.status)
			if (err != nil) != tc.wantErr {
				t.Fatalf("error %v, want error %v", err, tc.wantErr)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRestrict(t *testing.T) {
	missing := map[string]bool{sysResource: true}
	for name, tc := range map[string]struct {
		missing  map[string]bool
		in, want string
	}{
		"a spec loses the capability in every set and its limits, and keeps big numbers": {
			missing: missing,
			in: `{"linux":{"shares":9223372036854775807},"process":{"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE"],` +
				`"effective":["CAP_SYS_RESOURCE"]},"rlimits":[{"type":"RLIMIT_NOFILE"}]}}`,
			want: `{"linux":{"shares":9223372036854775807},"process":{"capabilities":{"bounding":["CAP_CHOWN"],"effective":[]}}}`,
		},
		"a process file is a process itself": {
			missing: missing,
			in:      `{"args":["sh"],"capabilities":{"bounding":["CAP_SYS_RESOURCE"]},"rlimits":[]}`,
			want:    `{"args":["sh"],"capabilities":{"bounding":[]}}`,
		},
		"limits stay where another capability is missing": {
			missing: map[string]bool{"CAP_BPF": true},
			in:      `{"process":{"capabilities":{"bounding":["CAP_BPF","CAP_SYS_RESOURCE"]},"rlimits":[]}}`,
			want:    `{"process":{"capabilities":{"bounding":["CAP_SYS_RESOURCE"]},"rlimits":[]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := restrict([]byte(tc.in), tc.missing)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRestrictFiles(t *testing.T) {
	const before, after = `{"rlimits":[]}`, `{}`
	for name, tc := range map[string]struct {
		args func(dir, file string) []string
		want string
	}{
		"create edits the bundle":            {func(d, _ string) []string { return []string{"--root", "/r", "create", "--bundle", d, "id"} }, after},
		"run takes the short flag":           {func(d, _ string) []string { return []string{"run", "-b", d, "id"} }, after},
		"exec edits the process file":        {func(_, f string) []string { return []string{"exec", "--process=" + f, "id"} }, after},
		"kill edits nothing":                 {func(d, _ string) []string { return []string{"kill", "--bundle", d} }, before},
		"the container's arguments are left": {func(d, _ string) []string { return []string{"state", "--", "create", "--bundle", d} }, before},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "config.json")
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := restrictFiles(tc.args(dir, file), map[string]bool{sysResource: true}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}
