package imagestore_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/erofs/go-erofs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

func TestPull(t *testing.T) {
	host := serve(t)
	push(t, host+"/team/web:1", image(t, "index.html", "hello"))
	store := open(t)
	pulled, err := store.Pull(context.Background(), host+"/team/web:1", imagestore.Pull{Cluster: "a"})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-12 its files and its configuration are there", func(t *testing.T) {
		if got := read(t, pulled.Rootfs, "index.html"); got != "hello" {
			t.Errorf("index.html is %q", got)
		}
		if diff := cmp.Diff([]string{"/serve"}, pulled.Config.Entrypoint); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("APP-12 it is found by tag, ID and digest", func(t *testing.T) {
		for _, reference := range []string{host + "/team/web:1", pulled.ID.String(), pulled.RepositoryDigest()} {
			got, err := store.Get("a", reference)
			if err != nil || got.Rootfs != pulled.Rootfs {
				t.Errorf("%s: %v, %v", reference, got, err)
			}
		}
	})
	t.Run("APP-19 another cluster does not know it", func(t *testing.T) {
		if _, err := store.Get("b", host+"/team/web:1"); !errors.Is(err, imagestore.ErrNotFound) {
			t.Errorf("error %v, want %v", err, imagestore.ErrNotFound)
		}
	})
	t.Run("APP-12 a tag that moved is pulled anew", func(t *testing.T) {
		push(t, host+"/team/web:1", image(t, "index.html", "moved"))
		again, err := store.Pull(context.Background(), host+"/team/web:1", imagestore.Pull{Cluster: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, again.Rootfs, "index.html"); got != "moved" {
			t.Errorf("index.html is %q", got)
		}
	})
}

func TestPullFails(t *testing.T) {
	host := serve(t)
	store := open(t)
	for name, tc := range map[string]struct{ reference, want string }{
		"APP-12 of an unknown image":     {host + "/team/none:1", "NAME_UNKNOWN"},
		"APP-12 with a broken reference": {"Team/Web:1", "image reference"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := store.Pull(context.Background(), tc.reference, imagestore.Pull{Cluster: "a"})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestMirror(t *testing.T) {
	mirror := serve(t)
	push(t, mirror+"/team/web:1", image(t, "a", "from the mirror"))
	store := open(t)
	pulled, err := store.Pull(context.Background(), "registry.invalid/team/web:1", imagestore.Pull{
		Cluster:     "a",
		Credentials: authn.Anonymous,
		Mirrors: func(registry string) []string {
			if registry != "registry.invalid" {
				t.Errorf("mirrors of %s", registry)
			}
			return []string{"127.0.0.1:1", mirror}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if pulled.Reference != "registry.invalid/team/web:1" || read(t, pulled.Rootfs, "a") != "from the mirror" {
		t.Errorf("pulled %v", pulled)
	}
}

func TestRemove(t *testing.T) {
	host := serve(t)
	push(t, host+"/one:1", image(t, "a", "1"))
	push(t, host+"/two:1", image(t, "a", "2"))
	store := open(t)
	for _, pull := range [][2]string{{"a", "/one:1"}, {"a", "/two:1"}, {"b", "/one:1"}} {
		if _, err := store.Pull(context.Background(), host+pull[1], imagestore.Pull{Cluster: pull[0]}); err != nil {
			t.Fatal(err)
		}
	}
	get := func(cluster, image string) error { _, err := store.Get(cluster, host+image); return err }
	t.Run("APP-12 leaves the images of other clusters", func(t *testing.T) {
		if err := store.Remove("a", host+"/one:1"); err != nil {
			t.Fatal(err)
		}
		if err := get("a", "/one:1"); !errors.Is(err, imagestore.ErrNotFound) {
			t.Errorf("cluster a still knows the image: %v", err)
		}
		if err := errors.Join(get("b", "/one:1"), get("a", "/two:1")); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-12 leaves no file of an image that nobody knows", func(t *testing.T) {
		if err := errors.Join(store.Forget("a"), store.Forget("b")); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"blobs", "roots"} {
			entries, err := os.ReadDir(filepath.Join(store.Dir(), dir))
			if err != nil || len(entries) > 0 {
				t.Errorf("%s has %v, %v", dir, entries, err)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	source := open(t)
	host := serve(t)
	push(t, host+"/team/web:1", image(t, "a", "1"))
	push(t, host+"/team/db:2", image(t, "b", "2"))
	for _, reference := range []string{"/team/web:1", "/team/db:2"} {
		if _, err := source.Pull(context.Background(), host+reference, imagestore.Pull{Cluster: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	var archive bytes.Buffer
	if err := source.Save(&archive, "a", host+"/team/web:1", host+"/team/db:2"); err != nil {
		t.Fatal(err)
	}
	store := open(t)
	records, err := store.LoadFrom(bytes.NewReader(archive.Bytes()), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-12 what was saved is loaded with all names", func(t *testing.T) {
		var got []string
		for _, record := range records {
			got = append(got, strings.TrimPrefix(string(record.Reference), host))
		}
		if diff := cmp.Diff([]string{"/team/db:2", "/team/web:1"}, got, sorted); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("APP-12 every cluster knows it, and none can remove it", func(t *testing.T) {
		loaded, err := store.Get("any", host+"/team/web:1")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, loaded.Rootfs, "a"); got != "1" {
			t.Errorf("file is %q", got)
		}
		if err := store.Remove("any", host+"/team/web:1"); err == nil {
			t.Error("a cluster removed an image of all clusters")
		}
	})
	t.Run("APP-12 the operator can remove it", func(t *testing.T) {
		if err := store.Remove("", host+"/team/web:1"); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Get("any", host+"/team/web:1"); !errors.Is(err, imagestore.ErrNotFound) {
			t.Errorf("error %v, want %v", err, imagestore.ErrNotFound)
		}
	})
}

func TestLoadFails(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"APP-12 what is no archive":       {"hello", "no tar archive"},
		"APP-12 what is cut off":          {"\x1f\x8b", "EOF"},
		"APP-12 an archive without image": {string(make([]byte, 1024)), "neither manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			_, err := store.LoadFrom(strings.NewReader(tc.content), "")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
			if left, _ := filepath.Glob(filepath.Join(store.Dir(), ".load-*")); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

func open(t *testing.T) *imagestore.Store {
	t.Helper()
	store, err := imagestore.Open(filepath.Join(t.TempDir(), "images"))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// serve starts a registry and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(quiet)))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func push(t *testing.T, reference string, image v1.Image) {
	t.Helper()
	parsed, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(parsed, image); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, rootfs, name string) string {
	t.Helper()
	file, err := os.Open(rootfs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	root, err := erofs.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
