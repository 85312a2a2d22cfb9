package pki

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLastingKeys(t *testing.T) {
	dir := t.TempDir()
	p := New(dir, Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now)
	ensure(t, p)
	other := New(t.TempDir(), p.hosts, time.Now)
	ensure(t, other)
	for _, rotated := range []*PKI{p, other} {
		must(t, Rotation{PKI: rotated, Note: func(string, ...string) error { return nil }}.TrustNextAuthorities("one"))
	}
	for _, key := range LastingKeys() {
		t.Run("APP-4 "+key.File+" is told apart", func(t *testing.T) {
			file := filepath.Join(dir, key.File)
			content := read(t, file)
			first, err := key.Fingerprint(dir)
			if err != nil {
				t.Fatal(err)
			}
			if foreign, err := key.Fingerprint(other.dir); err != nil || foreign == first {
				t.Errorf("the key of another landscape has %s, %v", foreign, err)
			}
			if err := os.WriteFile(file, []byte(content+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if again, err := key.Fingerprint(dir); err != nil || again != first {
				t.Errorf("the same key has %s, then %s, %v", first, again, err)
			}
			if err := os.WriteFile(file, []byte(content[:len(content)/2]), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := key.Fingerprint(dir); err == nil || !strings.Contains(err.Error(), key.File) {
				t.Errorf("half of the key gives %v", err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if _, err := key.Fingerprint(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("no key gives %v", err)
			}
		})
	}
	t.Run("APP-4 each key of an authority that signs for clients is one of them", func(t *testing.T) {
		keys, err := filepath.Glob(filepath.Join(other.dir, "*", "*ca.key"))
		if err != nil || len(keys) == 0 {
			t.Fatal(keys, err)
		}
		for _, file := range keys {
			name, err := filepath.Rel(other.dir, file)
			if err != nil {
				t.Fatal(err)
			}
			if !isLasting(name) && name != "etcd/ca.key" && name != "garden/inner-ca.key" { // whose certificates are all in this directory
				t.Errorf("%s is not", name)
			}
		}
	})
}
