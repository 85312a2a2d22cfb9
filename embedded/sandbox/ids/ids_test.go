package ids

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestEnough(t *testing.T) {
	for content, want := range map[string]bool{
		"         0          0 4294967295\n":                                   true,
		"         0      65534          1\n":                                   false,
		"         0     100000      65536\n":                                   true,
		"         0       1000          1\n         1     100000      65536\n": true,
		"         1     100000      65536\n         0       1000          1\n": true,
		"         0       1000          1\n         1     100000      65534\n": false,
		"         0       1000          1\n         2     100000      65536\n": false,
		"": false,
	} {
		file := filepath.Join(t.TempDir(), "map")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run("APP-11 which users exist: "+content, func(t *testing.T) {
			ranges, err := read(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := enough(ranges); got != want {
				t.Errorf("all exist: %t", got)
			}
		})
	}
	if _, err := read(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a map that cannot be read has users")
	}
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map")
	if err := os.WriteFile(file, []byte("         0       1000          1\n         1     100000      65536\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Range{{0, 1000, 1}, {1, 100000, 65536}}
	if !slices.Equal(got, want) {
		t.Errorf("ranges %v, want %v", got, want)
	}
	if text, want := Text(got, got[:1]), "0:1000:1,1:100000:65536 0:1000:1"; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
}
