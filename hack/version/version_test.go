// Package version tests the script that names the versions of builds.
package version

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener-up/gardener-up/embedded/image"
)

func TestVersion(t *testing.T) {
	script, err := filepath.Abs("version.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		output, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
		}
		return strings.TrimSpace(string(output))
	}
	git := func(args ...string) {
		t.Helper()
		run("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(text string) { t.Helper(); write(text); git("add", "file"); git("commit", "-qm", text) }

	var last *version.Version
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"without a repository", func() {}, `v0\.0\.0-dev`},
		{"without a tag", func() { git("init", "-q"); commit("one") }, `v0\.0\.0-dev\.g[0-9a-f]{8}`},
		{"with changes", func() { write("changed") }, `v0\.0\.0-dev\.g[0-9a-f]{8}\.dirty`},
		{"of a candidate", func() { commit("two"); git("tag", "v1.2.0-rc.1") }, `v1\.2\.0-rc\.1`},
		{"after a candidate", func() { commit("three") }, `v1\.2\.0-rc\.1\.1\.g[0-9a-f]{8}`},
		{"of a release", func() { git("tag", "v1.2.0") }, `v1\.2\.0`},
		{"with changes to a release", func() { write("changed") }, `v1\.2\.1-dev\.0\.g[0-9a-f]{8}\.dirty`},
		{"after a release", func() { commit("four") }, `v1\.2\.1-dev\.1\.g[0-9a-f]{8}`},
	} {
		t.Run("APP-35 the version of a build "+step.name, func(t *testing.T) {
			step.do()
			got := run(script)
			if !regexp.MustCompile("^" + step.want + "$").MatchString(got) {
				t.Errorf("version %s, want %s", got, step.want)
			}
			parsed, err := version.ParseSemantic(got)
			if err != nil {
				t.Fatal(err)
			}
			if last != nil && !strings.Contains(step.name, "changes") && parsed.LessThan(last) {
				t.Errorf("version %s is less than the one before, %s", got, last)
			}
			last = parsed
			if tag, ok := image.Tag(image.Repository + ":" + got); !ok || tag != got {
				t.Errorf("version %s is no tag of an image", got)
			}
		})
	}
}
