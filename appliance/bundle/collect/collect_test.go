package collect_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/collect"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// site is a registry, and a directory for files.
type site struct {
	*testing.T
	host      string
	transport *http.Transport
	dir       string
	key       ed25519.PrivateKey
	// before is called before each request, and may answer it.
	before func(http.ResponseWriter, *http.Request) bool
}

func newSite(t *testing.T) *site {
	s := &site{T: t, dir: t.TempDir(), transport: &http.Transport{}, before: func(http.ResponseWriter, *http.Request) bool { return false }}
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.before(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(s.transport.CloseIdleConnections)
	s.host = strings.TrimPrefix(server.URL, "http://")
	key, made, err := bundle.OpenKey(filepath.Join(s.dir, "key"))
	if err != nil || !made {
		t.Fatalf("made a key: %v, %v", made, err)
	}
	s.key = key
	return s
}

// image makes an image for an architecture. Images of the same architecture and size differ.
func (s *site) image(architecture string, size int64) v1.Image {
	s.Helper()
	img, err := random.Image(size, 2)
	if err != nil {
		s.Fatal(err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		s.Fatal(err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", architecture
	if img, err = mutate.ConfigFile(img, file); err != nil {
		s.Fatal(err)
	}
	return img
}

// push pushes an index with an image for each architecture, and returns its name and digest.
func (s *site) push(repository string, architectures ...string) (reference string, digest v1.Hash) {
	s.Helper()
	var index v1.ImageIndex = empty.Index
	for _, architecture := range architectures {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: s.image(architecture, 20000), Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	reference = s.host + "/" + repository + ":1"
	if err := remote.WriteIndex(s.tag(reference), index, remote.WithTransport(s.transport)); err != nil {
		s.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		s.Fatal(err)
	}
	return reference, digest
}

func (s *site) tag(reference string) name.Tag {
	s.Helper()
	tag, err := name.NewTag(reference)
	if err != nil {
		s.Fatal(err)
	}
	return tag
}

// request is that of a bundle for both architectures, with the appliance image of a small program.
func (s *site) request(file string, sources ...string) collect.Request {
	s.Helper()
	r := collect.Request{
		File: filepath.Join(s.dir, file), Key: s.key, Version: "v1", Architectures: []string{"arm64", "amd64"}, Sources: sources,
		Transport: s.transport, Tell: func(text string) { s.Log(text) },
	}
	for _, architecture := range r.Architectures {
		program := filepath.Join(s.dir, "program-"+architecture)
		if err := os.WriteFile(program, []byte("program for "+architecture), 0o755); err != nil {
			s.Fatal(err)
		}
		r.Programs = append(r.Programs, applianceimage.Program{Binary: program, Architecture: architecture, Version: "v1"})
	}
	return r
}

func (s *site) bundle(r collect.Request) (digest string, list bundle.List) {
	s.Helper()
	digest, list, err := collect.Bundle(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := os.Stat(collect.Partial(r.File)); !os.IsNotExist(err) {
		s.Errorf("something is left beside the bundle: %v", err)
	}
	return digest, list
}

func (s *site) chart(dir, version string) string {
	s.Helper()
	for file, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: hello\nversion: " + version + "\n", "templates/one.yaml": "one: 1\n", "values.yaml": "{}\n",
	} {
		path := filepath.Join(s.dir, dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	return filepath.Join(s.dir, dir)
}

func TestBundle(t *testing.T) {
	s := newSite(t)
	app, digest := s.push("app", "amd64", "arm64", "riscv64")
	whole, _ := s.push("whole", "amd64", "arm64")
	byDigest := s.host + "/app@" + digest.String()
	chart := s.chart("chart", "1.0.0+build")

	t.Run("APP-24 twice in any order gives equal digests", func(t *testing.T) {
		first, _ := s.bundle(s.request("first", app, whole, byDigest, chart))
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(filepath.Join(chart, "Chart.yaml"), later, later); err != nil {
			t.Fatal(err)
		}
		second, _ := s.bundle(s.request("second", chart, byDigest, "oci://"+whole, app, app))
		if first != second {
			t.Errorf("digests are %s and %s", first, second)
		}
		if other, _ := s.bundle(s.request("third", app)); other == first {
			t.Error("another bundle has the same digest")
		}
	})
	t.Run("APP-24 everything is in it", func(t *testing.T) {
		_, list := s.bundle(s.request("all", app, whole, byDigest, chart))
		got := map[string]bundle.Kind{}
		for _, content := range list.Contents {
			got[content.Name] = content.Kind
			if content.Name == byDigest && content.Digest != digest.String() {
				t.Errorf("%s has digest %s", byDigest, content.Digest)
			}
		}
		want := map[string]bundle.Kind{
			"gardener.local/gardener:v1": bundle.Appliance, "gardener.local/charts/hello:1.0.0_build": bundle.Chart,
			app: bundle.Image, whole: bundle.Image, byDigest: bundle.Image,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
		opened, err := bundle.Open(filepath.Join(s.dir, "all"), s.key.Public().(ed25519.PublicKey))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = opened.Close() }()
		if err := opened.Verify(); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-24 images of a bundle load", func(t *testing.T) {
		_, list := s.bundle(s.request("load", app, byDigest))
		opened, err := bundle.Open(filepath.Join(s.dir, "load"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = opened.Close() }()
		store, err := imagestore.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range list.Contents {
			image, err := opened.Image(content, runtime.GOARCH)
			if err != nil || image == nil {
				t.Fatalf("%s: %v, %v", content.Name, image, err)
			}
			if _, err := store.LoadImage(image, content.Name); err != nil {
				t.Errorf("load %s: %v", content.Name, err)
			}
		}
		for _, reference := range []string{app, byDigest} {
			if _, err := store.Get("any", reference); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("APP-24 what is missing is an error", func(t *testing.T) {
		only, _ := s.push("only", runtime.GOARCH)
		for source, want := range map[string]string{
			only: "has no image for linux/", s.host + "/missing:1": "NAME_UNKNOWN", filepath.Join(s.dir, "no-file"): "no such file",
			filepath.Join(s.dir, "program-amd64"): "no tar archive",
		} {
			if _, _, err := collect.Bundle(t.Context(), s.request("bad", source)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("with %s the error is %v, want one with %q", source, err, want)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "bad")); !os.IsNotExist(err) {
				t.Error("a bundle was written")
			}
		}
	})
}

func TestOtherSources(t *testing.T) {
	s := newSite(t)
	img := s.image(runtime.GOARCH, 3000)
	archive, reference := filepath.Join(s.dir, "saved.tar"), "example.org/saved:1"
	if err := tarball.WriteToFile(archive, s.tag(reference), img); err != nil {
		t.Fatal(err)
	}
	store, err := imagestore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Load(archive, ""); err != nil {
		t.Fatal(err)
	}
	request := func(file, source string) collect.Request {
		r := s.request(file, source)
		r.Architectures = []string{runtime.GOARCH}
		r.Programs = slices.DeleteFunc(r.Programs, func(p applianceimage.Program) bool { return p.Architecture != runtime.GOARCH })
		r.Store = func() (*imagestore.Store, error) { return store, nil }
		return r
	}
	t.Run("APP-24 images come from archives and from the store", func(t *testing.T) {
		saved, list := s.bundle(request("saved", archive))
		stored, _ := s.bundle(request("stored", "store:"+reference))
		if saved != stored || list.Contents[0].Name != reference {
			t.Errorf("the bundles have digests %s and %s, and the first has %+v", saved, stored, list.Contents)
		}
	})
	t.Run("APP-24 an image for another architecture only is refused", func(t *testing.T) {
		r := request("foreign", archive)
		r.Architectures, r.Programs = []string{"s390x"}, nil
		if _, _, err := collect.Bundle(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no image for") {
			t.Errorf("error is %v", err)
		}
	})
}

// TestResume interrupts the download of a layer, and expects that the next run requests the rest of it and nothing else.
func TestResume(t *testing.T) {
	s := newSite(t)
	app, _ := s.push("app", "amd64", "arm64")
	want, list := s.bundle(s.request("whole", app))
	const sent = 700
	largest := slices.MaxFunc(list.Files, func(a, b bundle.File) int { return int(a.Size - b.Size) })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, largest.SHA256) || r.Method != http.MethodGet {
			return false
		}
		content := s.blob(filepath.Join(s.dir, "whole"), largest.Path)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content[:sent])
		_ = http.NewResponseController(w).Flush()
		part := filepath.Join(collect.Partial(filepath.Join(s.dir, "again")), largest.Path+".part")
		for info, err := os.Stat(part); err != nil || info.Size() < sent; info, err = os.Stat(part) {
			runtime.Gosched()
		}
		cancel()
		panic(http.ErrAbortHandler)
	}
	if _, _, err := collect.Bundle(ctx, s.request("again", app)); err == nil {
		t.Fatal("an interrupted download is no error")
	}
	var requests []string
	s.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
			requests = append(requests, strings.TrimPrefix(filepath.Base(r.URL.Path), "sha256:")+" "+r.Header.Get("Range"))
		}
		return false
	}
	got, _ := s.bundle(s.request("again", app))
	t.Run("APP-24 the rest only is downloaded", func(t *testing.T) {
		if first := fmt.Sprintf("%s bytes=%d-%d", largest.SHA256, sent, largest.Size-1); !slices.Contains(requests, first) {
			t.Errorf("requests are %q, want one for %s", requests, first)
		}
		if got != want {
			t.Errorf("the bundle has digest %s instead of %s", got, want)
		}
	})
	t.Run("APP-24 what is there already is not trusted", func(t *testing.T) {
		r := s.request("wrong", app)
		part := filepath.Join(collect.Partial(r.File), largest.Path+".part")
		if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(part, make([]byte, sent), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := s.bundle(r); got != want {
			t.Errorf("the bundle has digest %s instead of %s", got, want)
		}
	})
}

// blob reads a file of a bundle.
func (s *site) blob(file, path string) []byte {
	content, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	for reader := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := reader.Next()
		if err != nil {
			panic(err)
		}
		if header.Name == path {
			content, err := io.ReadAll(reader)
			if err != nil {
				panic(err)
			}
			return content
		}
	}
}
