package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/local/applianceimage"
)

func TestBinariesOfABundle(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	for name, tc := range map[string]struct {
		program applianceimage.Program
		want    string // in the error; empty for none
	}{
		"APP-24 this binary":                    {applianceimage.Program{Binary: own, Architecture: runtime.GOARCH}, ""},
		"APP-24 one for another architecture":   {applianceimage.Program{Binary: own, Architecture: other}, "not for " + other},
		"APP-24 an architecture without a name": {applianceimage.Program{Binary: own, Architecture: "none"}, "not for none"},
		"APP-24 no program":                     {applianceimage.Program{Binary: text, Architecture: runtime.GOARCH}, "no binary for Linux"},
	} {
		t.Run(name, func(t *testing.T) {
			err := sameRelease(tc.program, own)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
	for name, tc := range map[string]struct {
		flags bundleFlags
		want  string
	}{
		"APP-24 an architecture needs a binary":  {bundleFlags{architectures: []string{other}}, "no binary for " + other},
		"APP-24 a binary needs its architecture": {bundleFlags{architectures: []string{runtime.GOARCH}, binaries: []string{other + "=" + own}}, "the bundle is not for it"},
		"APP-24 a binary is named with its own":  {bundleFlags{architectures: []string{runtime.GOARCH}, binaries: []string{own}}, "ARCHITECTURE=FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tc.flags.programs(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
}
