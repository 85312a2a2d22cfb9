package paths_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestMatch(t *testing.T) {
	for _, name := range []string{"plain", "[a-z]", "*?", `back\slash`, "zoë ü 日本 😀"} {
		t.Run("APP-2 files below a directory with the name "+name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			for _, file := range []string{"seeds/two/x.wal", "seeds/one/x.wal", "seeds/one/x.snap"} {
				file = filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{filepath.Join(dir, "seeds/one/x.wal"), filepath.Join(dir, "seeds/two/x.wal")}
			if diff := cmp.Diff(want, paths.Match(dir, "seeds/*/*.wal")); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if found := paths.Match(filepath.Join(dir, "missing"), "*"); len(found) > 0 {
				t.Errorf("in a directory that is missing: %q", found)
			}
		})
	}
}
