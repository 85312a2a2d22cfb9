package node

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

func TestMirrors(t *testing.T) {
	all := Mirrors{"docker.io": {"mirror.example.org", "127.0.0.1:5000"}, "quay.io": {}, EveryRegistry: {"mirror.example.org"}}
	t.Run("APP-12 a registry has its own mirrors", func(t *testing.T) {
		for registry, want := range map[string][]string{
			"index.docker.io": all["docker.io"], "quay.io": {}, "example.org": {"mirror.example.org"},
		} {
			if diff := cmp.Diff(want, all.of(registry)); diff != "" {
				t.Errorf("mirrors of %s (-want +got):\n%s", registry, diff)
			}
		}
	})
	t.Run("APP-12 nothing else of a mirror is reached", func(t *testing.T) {
		if diff := cmp.Diff([]string{"127.0.0.1:5000", "mirror.example.org:443"}, all.hosts()); diff != "" {
			t.Errorf("hosts (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-12 kubelets get them by a variable", func(t *testing.T) {
		for _, m := range []Mirrors{all, nil} {
			got, err := parseMirrors(m.String())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("mirrors (-want +got):\n%s", diff)
			}
		}
		if env := (Config{NodeMirrors: all}).environment(); env[mirrorsVariable] != all.String() {
			t.Errorf("the variable is %q", env[mirrorsVariable])
		}
	})
}

// TestMirrorOnThisMachine pulls an image of a registry that cannot be reached from a mirror at a loopback address.
func TestMirrorOnThisMachine(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	image, err := random.Image(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	file.OS, file.Architecture = "linux", runtime.GOARCH
	if image, err = mutate.ConfigFile(image, file); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(host + "/team/app:1")
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Transport{}
	t.Cleanup(client.CloseIdleConnections)
	if err := remote.Write(tag, image, remote.WithTransport(client)); err != nil {
		t.Fatal(err)
	}
	pull := func(t *testing.T, mirrors Mirrors, reference string) error {
		store, err := imagestore.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		service := imagesOf(Config{}, &openSandboxes{images: store, Sandboxes: Sandboxes{Cluster: "a", Mirrors: mirrors}}, nil)
		sandboxed := map[string]string{"node.gardener.local/sandboxed": "app"}
		pod := &cri.PodSandboxConfig{Annotations: sandboxed}
		_, err = service.PullImage(t.Context(), &cri.ImageSpec{Image: reference, Annotations: sandboxed}, nil, pod)
		return err
	}
	t.Run("APP-12 the mirror is asked first", func(t *testing.T) {
		if err := pull(t, Mirrors{"registry.invalid": {host}}, "registry.invalid/team/app:1"); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-12 without a mirror this machine stays closed", func(t *testing.T) {
		if err := pull(t, nil, host+"/team/app:1"); err == nil {
			t.Error("a tenant's image came from a listener of this machine")
		}
	})
}
