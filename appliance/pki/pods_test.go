package pki

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeyForPodsIsMadeOnce(t *testing.T) {
	p := &PKI{dir: t.TempDir()}
	first, second := &Bundle{}, &Bundle{}
	for _, b := range []*Bundle{first, second} {
		if err := p.ensurePods(b); err != nil {
			t.Fatal(err)
		}
	}
	if !first.Pods.Equal(second.Pods) {
		t.Error("APP-19 a second start makes another key, so all pods would be replaced")
	}
	file := filepath.Join(p.dir, podKey)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("APP-19 the key is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.ensurePods(&Bundle{}); err == nil || !strings.Contains(err.Error(), "pods.key") || !strings.Contains(err.Error(), "from a backup") {
		t.Errorf("APP-4 a damaged key gives %v", err)
	}
}
