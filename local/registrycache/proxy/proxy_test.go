package proxy_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/local/registrycache/proxy"
)

// upstream is a registry that counts what is asked of it, and can be told to fail.
type upstream struct {
	*httptest.Server
	blobs, manifests atomic.Int32
	down             atomic.Bool
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
			u.blobs.Add(1)
		}
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/manifests/") {
			u.manifests.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) push(t *testing.T, reference string) v1.Image {
	t.Helper()
	image, err := random.Image(2048, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag(t, u.URL, reference), image, remote.WithContext(t.Context())); err != nil {
		t.Fatalf("push: %v", err)
	}
	return image
}

func tag(t *testing.T, server, reference string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(strings.TrimPrefix(server, "http://")+"/"+reference, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// newCache serves a cache of the registry.
func newCache(t *testing.T, of string) (*proxy.Cache, *httptest.Server) {
	t.Helper()
	host, err := proxy.Registry(of)
	if err != nil {
		t.Fatal(err)
	}
	cache := &proxy.Cache{Upstream: host, Auth: authn.Anonymous, Dir: t.TempDir(), Clock: clock.RealClock{}, Log: logr.Discard()}
	server := httptest.NewServer(cache)
	t.Cleanup(server.Close)
	return cache, server
}

// pull reads all of an image and checks every digest.
func pull(t *testing.T, server, reference string) (v1.Hash, error) {
	t.Helper()
	image, err := remote.Image(tag(t, server, reference), remote.WithContext(t.Context()), remote.WithRetryBackoff(remote.Backoff{Steps: 1}), remote.WithRetryStatusCodes())
	if err != nil {
		return v1.Hash{}, err
	}
	if err := validate.Image(image); err != nil {
		return v1.Hash{}, err
	}
	return image.Digest()
}

func TestCache(t *testing.T) {
	u := newUpstream(t)
	image := u.push(t, "some/where:1")
	want, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	_, server := newCache(t, u.URL)
	wantPull := func(t *testing.T, reference string) {
		t.Helper()
		if got, err := pull(t, server.URL, reference); err != nil || got != want {
			t.Errorf("pulled %v, %v; want %v", got, err, want)
		}
	}
	t.Run("OSC-8 the first pull is fetched", func(t *testing.T) {
		wantPull(t, "some/where:1")
		if u.blobs.Load() != 3 || u.manifests.Load() != 1 { // two layers and the configuration
			t.Errorf("the registry was asked for %d blobs and %d manifests", u.blobs.Load(), u.manifests.Load())
		}
	})
	t.Run("OSC-8 the second pull is served by the cache", func(t *testing.T) {
		wantPull(t, "some/where:1")
		wantPull(t, "some/where@"+want.String())
		if u.blobs.Load() != 3 || u.manifests.Load() != 1 {
			t.Errorf("the registry was asked for %d blobs and %d manifests", u.blobs.Load(), u.manifests.Load())
		}
	})
	t.Run("OSC-8 also while the registry is down", func(t *testing.T) {
		u.down.Store(true)
		defer u.down.Store(false)
		wantPull(t, "some/where:1")
	})
	t.Run("OSC-8 a tag that moved is noticed", func(t *testing.T) {
		want, err = u.push(t, "some/where:1").Digest()
		if err != nil {
			t.Fatal(err)
		}
		wantPull(t, "some/where:1")
	})
	t.Run("OSC-8 many clients at once are one", func(t *testing.T) {
		_, server := newCache(t, u.URL)
		before := u.blobs.Load()
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				if got, err := pull(t, server.URL, "some/where:1"); err != nil || got != want {
					t.Errorf("pulled %v, %v", got, err)
				}
			})
		}
		if wait.Wait(); u.blobs.Load()-before != 3 {
			t.Errorf("the registry was asked for %d blobs", u.blobs.Load()-before)
		}
	})
	for what, reference := range map[string]string{"an image": "no/where:1", "a tag": "some/where:2", "a digest": "some/where@sha256:" + strings.Repeat("0", 64)} {
		t.Run("OSC-8 "+what+" that the registry does not know is not known", func(t *testing.T) {
			if _, err := pull(t, server.URL, reference); err == nil || !strings.Contains(err.Error(), "404") && !strings.Contains(err.Error(), "UNKNOWN") {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("what is not there while the registry is down is not called unknown", func(t *testing.T) {
		u.down.Store(true)
		defer u.down.Store(false)
		if _, err := pull(t, server.URL, "some/where:3"); err == nil || !strings.Contains(err.Error(), "UNAVAILABLE") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestHandlerRefuses(t *testing.T) {
	_, server := newCache(t, "http://127.0.0.1:1")
	for name, tc := range map[string]struct {
		method, path string
		status       int
	}{
		"pushing":               {http.MethodPost, "/v2/some/blobs/uploads/", http.StatusMethodNotAllowed},
		"other paths":           {http.MethodGet, "/metrics", http.StatusNotFound},
		"catalogues":            {http.MethodGet, "/v2/_catalog", http.StatusNotFound},
		"names that lead out":   {http.MethodGet, "/v2/..%2f..%2fetc/manifests/1", http.StatusBadRequest},
		"tags that are none":    {http.MethodGet, "/v2/some/manifests/..%2f..%2f1", http.StatusBadRequest},
		"digests that are none": {http.MethodGet, "/v2/some/blobs/sha256:..%2f..", http.StatusBadRequest},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), tc.method, server.URL+tc.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != tc.status {
				t.Errorf("status is %s", response.Status)
			}
		})
	}
}

func TestSweep(t *testing.T) {
	u := newUpstream(t)
	u.push(t, "some/thing:1")
	cache, server := newCache(t, u.URL)
	if _, err := pull(t, server.URL, "some/thing:1"); err != nil {
		t.Fatal(err)
	}
	files := func() (n int) {
		_ = filepath.WalkDir(cache.Dir, func(_ string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				n++
			}
			return err
		})
		return n
	}
	if got := files(); got != 5 { // three blobs, a manifest and a tag
		t.Fatalf("%d files are kept", got)
	}
	synctest.Test(t, func(t *testing.T) {
		_ = filepath.WalkDir(cache.Dir, func(path string, _ os.DirEntry, err error) error {
			return os.Chtimes(path, time.Now(), time.Now()) // by the clock of this bubble
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cache.TTL = time.Hour
		go cache.Sweep(ctx)
		time.Sleep(cache.TTL - time.Minute)
		synctest.Wait()
		if got := files(); got != 5 {
			t.Errorf("OSC-8 only %d files were kept for their time", got)
		}
		time.Sleep(cache.TTL)
		synctest.Wait()
		if got := files(); got > 0 {
			t.Errorf("OSC-8 %d files outlived their time", got)
		}
	})
	if _, err := pull(t, server.URL, "some/thing:1"); err != nil {
		t.Errorf("OSC-8 what was removed is not fetched again: %v", err)
	}
}

func TestRegistry(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://registry-1.docker.io": true, "http://10.0.0.1:5000": true, "registry.k8s.io": false, "ftp://x": false,
		"https://x/path": false, "https://user@x": false, "https://": false,
	} {
		if _, err := proxy.Registry(text); (err == nil) != ok {
			t.Errorf("OSC-8 %q: %v", text, err)
		}
	}
}
