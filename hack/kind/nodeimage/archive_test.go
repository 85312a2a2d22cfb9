package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readTar returns the files of a tar with contents, and their modes.
func readTar(t *testing.T, data []byte) (files map[string][]byte, modes map[string]int64) {
	t.Helper()
	files, modes = map[string][]byte{}, map[string]int64{}
	for archive := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return files, modes
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := files[header.Name]; twice {
			t.Errorf("%s is in the archive twice", header.Name)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name], modes[header.Name] = content, header.Mode
	}
}

func TestWriteArchive(t *testing.T) {
	images := []image{
		{names: []string{"r/a:1"}, layers: [][]byte{[]byte("base"), []byte("a")}, entrypoint: []string{"/a"}, env: []string{"PATH=/"}},
		{names: []string{"r/b:1"}, layers: [][]byte{[]byte("base"), []byte("b")}, entrypoint: []string{"/b"}},
	}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := writeArchive(w, images); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("equal images give different archives")
	}
	files, _ := readTar(t, first.Bytes())
	manifest := []manifestEntry{}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	for i, entry := range manifest {
		if diff := cmp.Diff(images[i].names, entry.RepoTags); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
		cfg := config{}
		if err := json.Unmarshal(files[entry.Config], &cfg); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(images[i].entrypoint, cfg.Config.Entrypoint); diff != "" {
			t.Errorf("entrypoint (-want +got):\n%s", diff)
		}
		for j, name := range entry.Layers {
			layer := files[name]
			if diff := cmp.Diff(string(images[i].layers[j]), string(layer)); diff != "" {
				t.Errorf("layer (-want +got):\n%s", diff)
			}
			if want := "sha256:" + digestOf(layer); cfg.RootFS.DiffIDs[j] != want {
				t.Errorf("diff id %s, want %s", cfg.RootFS.DiffIDs[j], want)
			}
		}
	}
}

func TestAddKindFiles(t *testing.T) {
	dir := t.TempDir()
	want := map[string]int64{"usr/local/bin/entrypoint": 0o755, "kind/bin/x.sh": 0o755, "etc/crictl.yaml": 0o644, "kind/README.txt": 0o644}
	for name := range want {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	buffer := bytes.Buffer{}
	archive := tar.NewWriter(&buffer)
	if err := addKindFiles(archive, dir); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	files, modes := readTar(t, buffer.Bytes())
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	for name, content := range files {
		if string(content) != name {
			t.Errorf("%s has content %q", name, content)
		}
	}
}
