package app

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/collect"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// aBundle makes a bundle with the appliance image of a version, and returns its file.
func aBundle(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	key, _, err := bundle.OpenKey(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	r := collect.Request{
		File: filepath.Join(dir, "bundle"), Key: key, Version: version, Architectures: []string{"amd64"}, Tell: func(string) {},
		Programs: []applianceimage.Program{{Binary: program, Architecture: "amd64", Version: version}},
	}
	if _, _, err := collect.Bundle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r.File
}

// loaded checks what nodes get: the image of this binary for one architecture, and nothing for the other.
func loaded(t *testing.T, reference imageReference, has, lacks string) {
	t.Helper()
	images, closed, err := reference.load.open()
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	if len(images) != 1 || images[0].Name != image.Named("") {
		t.Fatalf("images %+v", images)
	}
	for architecture, want := range map[string]bool{has: true, lacks: false} {
		if found, err := images[0].For(architecture); err != nil || (found != nil) != want {
			t.Errorf("the image for %s is there: %v, error %v", architecture, found != nil, err)
		}
	}
}

func TestImageFlags(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	site := strings.TrimPrefix(server.URL, "http://") + "/site"
	file := aBundle(t, image.Version)
	t.Run("APP-25 the image of the bundle is in the registry after the push, with the name that nodes get", func(t *testing.T) {
		flags := imageFlags{registry: site, bundle: file, key: filepath.Join(filepath.Dir(file), "key.pub")}
		reference, err := flags.reference(io.Discard, newDisplay())
		if err != nil {
			t.Fatal(err)
		}
		if want := site + "/gardener:" + image.Version; reference.image != want {
			t.Errorf("image %s, want %s", reference.image, want)
		}
		if err := reference.push(t.Context()); err != nil {
			t.Fatal(err)
		}
		tag, err := name.NewTag(reference.image)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := remote.Get(tag); err != nil {
			t.Errorf("the registry does not have it: %v", err)
		}
	})
	t.Run("APP-25 an image that is in a registry already is not pushed", func(t *testing.T) {
		reference, err := (&imageFlags{image: "registry.example.org/gardener:v1"}).reference(io.Discard, newDisplay())
		if err != nil || reference.push != nil || reference.image != "registry.example.org/gardener:v1" {
			t.Errorf("image %s, error %v", reference.image, err)
		}
	})
	t.Run("APP-25 the image of this binary is loaded into nodes without a bundle and without a registry", func(t *testing.T) {
		reference, err := (&imageFlags{load: true}).reference(io.Discard, newDisplay())
		if err != nil || reference.push != nil || reference.image != image.Named("") || !reference.onNodes() {
			t.Fatalf("image %s, error %v", reference.image, err)
		}
		loaded(t, reference, runtime.GOARCH, "other")
	})
	t.Run("APP-25 the images of a bundle are loaded into nodes of its architectures", func(t *testing.T) {
		flags := imageFlags{load: true, bundle: file, key: filepath.Join(filepath.Dir(file), "key.pub")}
		reference, err := flags.reference(io.Discard, newDisplay())
		if err != nil || reference.push != nil || reference.image != image.Named("") {
			t.Fatalf("image %s, error %v", reference.image, err)
		}
		loaded(t, reference, "amd64", "arm64")
	})
	t.Run("APP-25 an image of this binary that is named must be on the nodes, since no registry has it", func(t *testing.T) {
		for name, want := range map[string]bool{image.Named(""): true, "registry.example.org/gardener:v1": false} {
			reference, err := (&imageFlags{image: name}).reference(io.Discard, newDisplay())
			if err != nil || reference.onNodes() != want {
				t.Errorf("%s on nodes %v, error %v", name, reference.onNodes(), err)
			}
		}
	})
	for text, tc := range map[string]struct {
		flags imageFlags
		want  string
	}{
		"nothing":                        {imageFlags{}, "need the image"},
		"a registry without a bundle":    {imageFlags{registry: site}, "need the image"},
		"a bundle without a registry":    {imageFlags{bundle: file}, "need the image"},
		"both ways":                      {imageFlags{image: "a", registry: site}, "in place of"},
		"loading an image of a registry": {imageFlags{image: "a", load: true}, "--load is in place of"},
		"loading from a foreign bundle":  {imageFlags{load: true, bundle: aBundle(t, "v0.0.1-other")}, "does not have " + image.Named("")},
		"a bundle that does not exist":   {imageFlags{registry: site, bundle: "/no/where"}, "there is no file /no/where"},
		"a bundle of another version":    {imageFlags{registry: site, bundle: aBundle(t, "v0.0.1-other")}, "does not have " + image.Named("")},
		"a registry whose name is wrong": {imageFlags{registry: "a b", bundle: file}, "is no registry"},
	} {
		t.Run("APP-25 "+text+" is refused", func(t *testing.T) {
			if _, err := tc.flags.reference(io.Discard, newDisplay()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}
