package load_test

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/collect"
	"github.com/gardener-up/gardener-up/appliance/bundle/load"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

const reference = "example.org/app:1"

// made makes a bundle with the image of a program and one for containers.
func made(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	img, err := random.Image(3000, 2)
	if err != nil {
		t.Fatal(err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	file.OS, file.Architecture = "linux", runtime.GOARCH
	if img, err = mutate.ConfigFile(img, file); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	archive, program, out := filepath.Join(dir, "saved.tar"), filepath.Join(dir, "program"), filepath.Join(dir, "bundle")
	if err := tarball.WriteToFile(archive, tag, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	key, _, err := bundle.OpenKey(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = collect.Bundle(t.Context(), collect.Request{
		File: out, Key: key, Version: "v1", Architectures: []string{runtime.GOARCH}, Sources: []string{archive}, Tell: func(string) {},
		Programs: []applianceimage.Program{{Binary: program, Architecture: runtime.GOARCH, Version: "v1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPart(t *testing.T) {
	file := made(t)
	store, err := imagestore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	gone := false
	note := filepath.Join(t.TempDir(), "bundle.json")
	start := func(file string) error {
		told, gone = nil, false
		part := load.Part(load.Inputs{
			File: file, Note: note, Gone: func(error) { gone = true },
			Key:   func() (ed25519.PublicKey, error) { return nil, nil },
			Open:  func(key ed25519.PublicKey) (*bundle.Bundle, error) { return bundle.Open(file, key) },
			Store: func() (*imagestore.Store, error) { return store, nil },
			Tell:  func(name string) { told = append(told, name) },
		})
		if err := part.Start(t.Context()); err != nil {
			return err
		}
		return part.Stop(t.Context())
	}
	check := func(t *testing.T) {
		t.Helper()
		if err := start(file); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{reference}, told); diff != "" {
			t.Errorf("loaded (-want +got):\n%s", diff)
		}
		if _, err := store.Get("any", reference); err != nil {
			t.Error(err)
		}
	}
	t.Run("APP-12 APP-24 images for containers are loaded", check)
	t.Run("APP-12 the second start writes nothing", func(t *testing.T) {
		before := names(t, store)
		check(t)
		if diff := cmp.Diff(before, names(t, store)); diff != "" {
			t.Errorf("times of files (-before +after):\n%s", diff)
		}
	})
	t.Run("APP-12 what is gone is loaded again", func(t *testing.T) {
		if err := store.Remove("", reference); err != nil {
			t.Fatal(err)
		}
		check(t)
	})
	t.Run("APP-24 a bundle that is gone is no error while its images are there", func(t *testing.T) {
		content, err := os.ReadFile(file)
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := start(file); err != nil || !gone {
			t.Errorf("error %v, told %v", err, gone)
		}
		if err := start(file + "-other"); err == nil {
			t.Error("a bundle that was never there is no error")
		}
		if err := store.Remove("", reference); err != nil {
			t.Fatal(err)
		}
		if err := start(file); err == nil || !strings.Contains(err.Error(), reference) {
			t.Errorf("error %v, want the image that is not there", err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		check(t)
	})
	t.Run("APP-12 a damaged bundle is an error", func(t *testing.T) {
		if err := os.Truncate(file, 2000); err != nil {
			t.Fatal(err)
		}
		if err := start(file); err == nil {
			t.Error("it was loaded")
		}
	})
}

// names are the times of all files of the store.
func names(t *testing.T, store *imagestore.Store) map[string]string {
	t.Helper()
	times := map[string]string{}
	err := filepath.Walk(store.Dir(), func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			times[path] = info.ModTime().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return times
}
