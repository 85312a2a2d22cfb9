package images_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/node/images"
)

var ctx = context.Background()

func TestService(t *testing.T) {
	host := serve(t)
	push(t, host+"/web:1", "1000:1000")
	service := images.New(images.Config{Store: open(t), Cluster: "a"})
	spec := &cri.ImageSpec{Image: host + "/web:1"}
	if got := status(t, service, spec); got != nil {
		t.Fatalf("status before the pull: %v", got)
	}
	id, err := service.PullImage(ctx, spec, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-12 the kubelet sees the image by its ID, with its user", func(t *testing.T) {
		got := status(t, service, &cri.ImageSpec{Image: id})
		if got.GetId() != id || got.GetUid().GetValue() != 1000 || got.GetRepoTags()[0] != spec.Image || got.GetSize() == 0 {
			t.Errorf("status %v", got)
		}
	})
	t.Run("APP-12 the kubelet's garbage collection removes it", func(t *testing.T) {
		all, err := service.ListImages(ctx, nil)
		if err != nil || len(all) != 1 || all[0].GetPinned() {
			t.Fatalf("images %v, %v", all, err)
		}
		if err := service.RemoveImage(ctx, &cri.ImageSpec{Image: all[0].GetId()}); err != nil {
			t.Fatal(err)
		}
		if got := status(t, service, spec); got != nil {
			t.Errorf("status %v", got)
		}
	})
}

func TestMissing(t *testing.T) {
	host := serve(t)
	spec := &cri.ImageSpec{Image: host + "/none:1"}
	t.Run("APP-12 an image that cannot be had is an error with the reason", func(t *testing.T) {
		service := images.New(images.Config{Store: open(t), Cluster: "a"})
		if _, err := service.PullImage(ctx, spec, nil, nil); err == nil || !strings.Contains(err.Error(), "NAME_UNKNOWN") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("APP-17 a landscape may simulate it, and the ID says why", func(t *testing.T) {
		service := images.New(images.Config{Store: open(t), Cluster: "a", SimulateMissing: true})
		id, err := service.PullImage(ctx, spec, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if reason, isMissing := images.Missing(id); !isMissing || !strings.Contains(reason, "NAME_UNKNOWN") {
			t.Errorf("reason %q, %v", reason, isMissing)
		}
		if got := status(t, service, &cri.ImageSpec{Image: id}); got.GetId() != id {
			t.Errorf("status by ID %v", got)
		}
		if got := status(t, service, spec); got != nil {
			t.Errorf("the kubelet would not try again: %v", got)
		}
	})
}

func TestNotReal(t *testing.T) {
	service := images.New(images.Config{Store: open(t), Cluster: "a", Real: func(image string, annotations map[string]string) bool {
		return image != "gardener.local/gardener" && annotations["simulate"] == ""
	}})
	for _, spec := range []*cri.ImageSpec{
		{Image: "gardener.local/gardener"}, {Image: "nowhere.invalid/web:1", Annotations: map[string]string{"simulate": "true"}},
	} {
		t.Run("APP-17 "+spec.Image+" counts as present", func(t *testing.T) {
			if got := status(t, service, spec); got.GetId() != spec.Image {
				t.Errorf("status %v", got)
			}
			pod := &cri.PodSandboxConfig{Annotations: spec.Annotations}
			if id, err := service.PullImage(ctx, spec, nil, pod); err != nil || id != spec.Image {
				t.Errorf("pull: %s, %v", id, err)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	host := serve(t, authn.AuthConfig{Username: "u", Password: "p"})
	pushAs(t, host+"/web:1", "", &authn.Basic{Username: "u", Password: "p"})
	store := open(t)
	spec := &cri.ImageSpec{Image: host + "/web:1"}
	mine := images.New(images.Config{Store: store, Cluster: "mine"})
	if _, err := mine.PullImage(ctx, spec, &cri.AuthConfig{Username: "u", Password: "p"}, nil); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-19 another cluster needs credentials of its own for content that is there", func(t *testing.T) {
		other := images.New(images.Config{Store: store, Cluster: "other"})
		if got := status(t, other, spec); got != nil {
			t.Errorf("status %v", got)
		}
		if _, err := other.PullImage(ctx, spec, nil, nil); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("error %v", err)
		}
	})
}

func status(t *testing.T, service *images.Service, spec *cri.ImageSpec) *cri.Image {
	t.Helper()
	got, err := service.ImageStatus(ctx, spec, false)
	if err != nil {
		t.Fatal(err)
	}
	return got.GetImage()
}

func open(t *testing.T) *imagestore.Store {
	t.Helper()
	store, err := imagestore.Open(filepath.Join(t.TempDir(), "images"))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// serve starts a registry, for a user with these credentials only if some are given, and returns its address.
func serve(t *testing.T, only ...authn.AuthConfig) string {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if len(only) > 0 && (user != only[0].Username || password != only[0].Password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func push(t *testing.T, reference, user string) {
	t.Helper()
	pushAs(t, reference, user, authn.Anonymous)
}

func pushAs(t *testing.T, reference, user string, auth authn.Authenticator) {
	t.Helper()
	parsed, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	image, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Config = "linux", runtime.GOARCH, v1.Config{User: user}
	if image, err = mutate.ConfigFile(image, file); err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(parsed, image, remote.WithAuth(auth)); err != nil {
		t.Fatal(err)
	}
}
