package push_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/collect"
	"github.com/gardener-up/gardener-up/appliance/bundle/push"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// open makes and opens a bundle with images of the given names, a chart, and the image of a program for two architectures.
func open(t *testing.T, images ...string) *bundle.Bundle {
	t.Helper()
	dir := t.TempDir()
	chart, program := filepath.Join(dir, "chart"), filepath.Join(dir, "program")
	for path, text := range map[string]string{filepath.Join(chart, "Chart.yaml"): "{apiVersion: v2, name: hello, version: 1.0.0}", program: "program"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	key, _, err := bundle.OpenKey(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	r := collect.Request{File: filepath.Join(dir, "bundle"), Key: key, Version: "v1", Sources: []string{chart}, Tell: func(string) {}}
	for _, architecture := range []string{"amd64", "arm64"} {
		r.Architectures = append(r.Architectures, architecture)
		r.Programs = append(r.Programs, applianceimage.Program{Binary: program, Architecture: architecture, Version: "v1"})
		for i, reference := range images {
			file := filepath.Join(dir, architecture+string(rune('a'+i)))
			r.Sources = append(r.Sources, file)
			write(t, file, reference, architecture)
		}
	}
	if _, _, err := collect.Bundle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(r.File, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func write(t *testing.T, file, reference, architecture string) {
	t.Helper()
	image, err := random.Image(2000, 2)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config.OS, config.Architecture = "linux", architecture
	if image, err = mutate.ConfigFile(image, config); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := tarball.WriteToFile(file, tag, image); err != nil {
		t.Fatal(err)
	}
}

// site is an empty registry.
func site(t *testing.T) (host string, transport *http.Transport) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	transport = &http.Transport{}
	t.Cleanup(server.Close)
	t.Cleanup(transport.CloseIdleConnections)
	return strings.TrimPrefix(server.URL, "http://"), transport
}

func TestAll(t *testing.T) {
	host, transport := site(t)
	from := open(t, "registry.invalid/team/app:1")
	var told []string
	if err := push.All(t.Context(), from, push.Target{Place: host, Transport: transport}, func(name string) { told = append(told, name) }); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-24 everything gets its name in the registry", func(t *testing.T) {
		if diff := cmp.Diff([]string{host + "/charts/hello:1.0.0", host + "/gardener:v1", host + "/team/app:1"}, told); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
		for i, reference := range told {
			tag, err := name.NewTag(reference)
			if err != nil {
				t.Fatal(err)
			}
			found, err := remote.Head(tag, remote.WithTransport(transport))
			if err != nil || found.Digest.String() != from.List.Contents[i].Digest {
				t.Errorf("%s: %v, %v; want %s", reference, found, err, from.List.Contents[i].Digest)
			}
		}
	})
	t.Run("APP-12 the registry serves as a mirror", func(t *testing.T) {
		store, err := imagestore.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		_, err = store.Pull(t.Context(), "registry.invalid/team/app:1", imagestore.Pull{
			Cluster: "a", Transport: transport, Mirrors: func(string) []string { return []string{host} },
		})
		if err != nil {
			t.Error(err, runtime.GOARCH)
		}
	})
	t.Run("APP-24 a path goes before all names", func(t *testing.T) {
		target := push.Target{Place: host + "/gardener", Transport: transport}
		got, err := target.Name(bundle.Content{Name: "docker.io/library/nginx:1"})
		if want := host + "/gardener/library/nginx:1"; err != nil || got.Name() != want {
			t.Errorf("the name is %v, %v; want %s", got, err, want)
		}
	})
	t.Run("APP-24 two contents never become one", func(t *testing.T) {
		host, transport := site(t)
		both := open(t, "registry.invalid/app:1", "other.invalid/app:1")
		err := push.All(t.Context(), both, push.Target{Place: host, Transport: transport}, func(name string) { t.Errorf("%s was pushed", name) })
		if err == nil || !strings.Contains(err.Error(), "would both be") {
			t.Errorf("error is %v", err)
		}
	})
}
