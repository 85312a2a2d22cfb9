package applianceimage_test

import (
	"archive/tar"
	"errors"
	"github.com/google/go-containerregistry/pkg/name"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

func binary(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "some-name")
	if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDigest(t *testing.T) {
	digest := func(content string) string {
		value, err := applianceimage.Digest(binary(t, content))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	if first, again := digest("program"), digest("program"); first != again {
		t.Error("the same binary, made at another time in another place, gives another digest")
	}
	if digest("program") == digest("another program") {
		t.Error("different binaries give one digest")
	}
}

func TestSave(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "new", "image.tar")
	reference := image.Named("")
	if err := applianceimage.Save(binary(t, "program"), reference, archive); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(reference, name.WithDefaultRegistry(""))
	if err != nil {
		t.Fatal(err)
	}
	img, err := tarball.ImageFromPath(archive, &tag) // fails if the archive has no image of this name
	if err != nil {
		t.Fatalf("read the archive again: %v", err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/gardener"}, config.Config.Entrypoint); diff != "" {
		t.Errorf("entry point (-want +got):\n%s", diff)
	}
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v; want one", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	got := map[string]string{}
	for files := tar.NewReader(content); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		got[header.Name] = string(text)
	}
	if diff := cmp.Diff(map[string]string{"etc/": "", "tmp/": "", "var/": "", "gardener": "program"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestSaveWithoutBinary(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "image.tar")
	if err := applianceimage.Save(filepath.Join(t.TempDir(), "missing"), image.Named(""), archive); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want one about a missing file", err)
	}
	if _, err := os.Stat(archive); !errors.Is(err, os.ErrNotExist) {
		t.Error("an archive was left behind")
	}
}
