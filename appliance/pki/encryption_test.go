package pki

import (
	"os"
	"strings"
	"testing"
)

func TestEncryptionConfigIsMadeOnce(t *testing.T) {
	p := &PKI{dir: t.TempDir()}
	var contents []string
	for range 2 {
		file, err := p.encryptionConfig()
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(content))
	}
	if contents[0] != contents[1] {
		t.Error("API-39 a second start makes another key")
	}
	if !strings.Contains(contents[0], "shootstates.core.gardener.cloud") || strings.Contains(contents[0], "secret: \n") {
		t.Errorf("API-39 content is %s", contents[0])
	}
}
