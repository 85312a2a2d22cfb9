package within

import (
	"os"
	"path/filepath"
	"testing"
)

func TestResolve(t *testing.T) {
	machine := t.TempDir()
	real, alias := filepath.Join(machine, "real"), filepath.Join(machine, "alias")
	base := filepath.Join(alias, "volume")
	for _, dir := range []string{filepath.Join(real, "volume", "data"), filepath.Join(real, "volume", "..data"), filepath.Join(machine, "secret"), filepath.Join(real, "volume2")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		alias: real, filepath.Join(real, "volume", "inner"): "data", filepath.Join(real, "volume", "out"): "../../secret",
		filepath.Join(real, "volume", "absolute"): filepath.Join(machine, "secret"), filepath.Join(real, "volume", "sibling"): "../volume2",
	} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ path, want string }{
		"the volume itself":                             {"", "volume"},
		"a directory":                                   {"data", "volume/data"},
		"a link within the volume":                      {"inner", "volume/data"},
		"a name with dots":                              {"..data", "volume/..data"},
		"APP-14 a relative link that leads out":         {"out", ""},
		"APP-14 an absolute link that leads out":        {"absolute", ""},
		"APP-14 a link to what begins with the name":    {"sibling", ""},
		"APP-14 a name that leads out without any link": {"../volume2", ""},
		"nothing": {"missing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(filepath.Join(base, tc.path), base)
			if tc.want == "" {
				if err == nil {
					t.Errorf("it leads to %s", got)
				}
				return
			}
			if err != nil || got != filepath.Join(real, tc.want) {
				t.Errorf("it leads to %s (%v)", got, err)
			}
		})
	}
}
