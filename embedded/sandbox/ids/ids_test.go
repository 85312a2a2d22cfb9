package ids

import (
	"os"
	"path/filepath"
	"testing"
)

func TestComplete(t *testing.T) {
	for content, want := range map[string]bool{
		"         0          0 4294967295\n":                                   true,
		"         0      65534          1\n":                                   false,
		"         0     100000      65536\n":                                   false,
		"         0       1000          1\n         1     100000      65536\n": false,
		"": false,
	} {
		file := filepath.Join(t.TempDir(), "map")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run("APP-11 which users exist: "+content, func(t *testing.T) {
			if got := complete(file); got != want {
				t.Errorf("all exist: %t", got)
			}
		})
	}
	if complete(filepath.Join(t.TempDir(), "missing")) {
		t.Error("all exist by a map that cannot be read")
	}
}
