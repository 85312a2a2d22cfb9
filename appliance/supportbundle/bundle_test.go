package supportbundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/supportbundle/redact"
)

var errBoom = errors.New("boom Secret-4711-word")

// secretWord is known.
const secretWord = "Secret-4711-word"

func redactor() *redact.Redactor {
	known := redact.NewKnown()
	known.AddValue("password", []byte(secretWord))
	return redact.New(known)
}

func says(name, text string, err error) Section {
	return Section{Name: name, Collect: func(_ context.Context, w io.Writer) error {
		_, failed := io.WriteString(w, text)
		return errors.Join(err, failed)
	}}
}

func TestAPP22SectionsThatFailAreInTheManifestAndWithoutSecrets(t *testing.T) {
	var out bytes.Buffer
	bundle := Bundle{Redactor: redactor(), Sections: []Section{
		says("whole.txt", "has "+secretWord+"\n", nil), says("half.txt", "half\n", errBoom), says("absent.txt", "", ErrNothing), says("failed.txt", "", errBoom),
	}}
	manifest, err := bundle.Write(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	want := []Missing{{"half.txt", "boom [redacted]"}, {"failed.txt", "boom [redacted]"}}
	if diff := cmp.Diff(want, manifest.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	files := read(t, &out)
	if files["gardener-support/whole.txt"] != "has [redacted]\n" || files["gardener-support/half.txt"] != "half\n" || len(files) != 3 {
		t.Errorf("files %v", files)
	}
	if text := files["gardener-support/manifest.json"]; !strings.Contains(text, "half.txt") || strings.Contains(text, secretWord) {
		t.Errorf("manifest %s", text)
	}
}

func read(t *testing.T, from io.Reader) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	files, archive := map[string]string{}, tar.NewReader(zip)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(text)
	}
}

func TestAPP22SecretsOfFilesAreFoundInLogs(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Create(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.PKI(), "encryption.yaml"), "keys:\n- name: one\n  secret: c2VjcmV0LWtleS1vZi1hLXRlc3QtMTIzNDU2Nzg5MA==\n")
	write(t, p.Logs().Current(), "first line with c2VjcmV0LWtleS1vZi1h\nuses c2VjcmV0LWtleS1vZi1hLXRlc3QtMTIzNDU2Nzg5MA== now\n")
	known := redact.NewKnown()
	if err := KnowFiles(known, p); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := (Bundle{Redactor: redact.New(known), Sections: append(Logs(p, nil, 70), Files(p))}).Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	files := read(t, &out)
	if log := files["gardener-support/logs/gardener.log"]; !strings.HasSuffix(log, "left out]\nuses [redacted] now\n") || strings.Contains(log, "first line") {
		t.Errorf("log %q", log)
	}
	if list := files["gardener-support/files.txt"]; !strings.Contains(list, "./pki/encryption.yaml") {
		t.Errorf("list %q", list)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
