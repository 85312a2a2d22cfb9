package ocichart

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"k8s.io/utils/ptr"

	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
)

const password = "not for everybody"

// serve starts a registry that wants the password, and counts the requests.
func serve(t *testing.T) (server *httptest.Server, requests *int) {
	t.Helper()
	requests = new(int)
	content := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		if user, given, _ := r.BasicAuth(); user != "puller" || given != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		content.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	return server, requests
}

func push(t *testing.T, server *httptest.Server, tag, archive string, kind types.MediaType) v1.Hash {
	t.Helper()
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer([]byte(archive), kind))
	if err != nil {
		t.Fatal(err)
	}
	reference, err := name.ParseReference(strings.TrimPrefix(server.URL, "https://") + "/charts/one:" + tag)
	if err != nil {
		t.Fatal(err)
	}
	err = remote.Write(reference, image, remote.WithTransport(server.Client().Transport), remote.WithAuth(&authn.Basic{Username: "puller", Password: password}))
	if err != nil {
		t.Fatal(err)
	}
	digest, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func TestPull(t *testing.T) {
	server, requests := serve(t)
	host := strings.TrimPrefix(server.URL, "https://")
	digest := push(t, server, "v1", "chart one", mediaType)
	push(t, server, "image", "no chart", types.OCILayer)
	access := Access{
		PullSecret: fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, host, base64.StdEncoding.EncodeToString([]byte("puller:"+password))),
		CABundle:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
	repository := ptr.To(host + "/charts/one")
	byDigest := &corev1.OCIRepository{Repository: repository, Tag: ptr.To("unknown"), Digest: ptr.To(digest.String())}
	for name, from := range map[string]*corev1.OCIRepository{
		"a tag":                        {Repository: repository, Tag: ptr.To("v1")},
		"a full reference":             {Ref: ptr.To("oci://" + host + "/charts/one:v1")},
		"a full reference by digest":   {Ref: ptr.To(host + "/charts/one@" + digest.String())},
		"a digest is stronger than it": byDigest,
	} {
		t.Run("GLT-22 a chart is pulled by "+name, func(t *testing.T) {
			archive, err := new(Puller).Pull(t.Context(), from, access)
			if err != nil || string(archive) != "chart one" {
				t.Errorf("got %q, %v", archive, err)
			}
		})
	}
	t.Run("GLT-22 a chart with a digest is pulled once, and a tag is asked for again", func(t *testing.T) {
		puller := &Puller{}
		pull := func(from *corev1.OCIRepository) (string, int) {
			t.Helper()
			before := *requests
			archive, err := puller.Pull(t.Context(), from, access)
			if err != nil {
				t.Fatal(err)
			}
			return string(archive), *requests - before
		}
		pull(byDigest)
		if _, asked := pull(byDigest); asked != 0 {
			t.Errorf("%d requests for a known digest", asked)
		}
		moving := &corev1.OCIRepository{Repository: repository, Tag: ptr.To("moving")}
		push(t, server, "moving", "chart one", mediaType)
		pull(moving)
		push(t, server, "moving", "chart two", mediaType)
		if archive, _ := pull(moving); archive != "chart two" {
			t.Errorf("the tag moved, but the archive is %q", archive)
		}
	})
	for name, tc := range map[string]struct {
		from   *corev1.OCIRepository
		access Access
		want   string
	}{
		"without credentials": {byDigest, Access{CABundle: access.CABundle}, "401"},
		"with credentials for another registry": {
			byDigest, Access{CABundle: access.CABundle, PullSecret: []byte(`{"auths":{"example.org":{"username":"puller"}}}`)}, "the pull secret has no credentials for " + host,
		},
		"with a broken pull secret":          {byDigest, Access{CABundle: access.CABundle, PullSecret: []byte(password)}, "the pull secret is no valid Docker configuration"},
		"from a server that nobody trusts":   {byDigest, Access{PullSecret: access.PullSecret}, "certificate"},
		"with a bundle without certificates": {byDigest, Access{CABundle: []byte("x")}, "has no certificate"},
		"if the artifact is none":            {&corev1.OCIRepository{Repository: repository, Tag: ptr.To("image")}, access, "the artifact is no chart"},
		"if the reference makes no sense":    {&corev1.OCIRepository{Ref: ptr.To("::")}, access, `reference "::" of chart`},
	} {
		t.Run("GLT-22 no chart is pulled "+name, func(t *testing.T) {
			archive, err := new(Puller).Pull(t.Context(), tc.from, tc.access)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %q, %v, want an error with %q", archive, err, tc.want)
			}
			if strings.Contains(err.Error(), password) {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

func TestPullWithoutTLS(t *testing.T) {
	var secrets int
	content := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			secrets++
		}
		content.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer([]byte("plain chart"), mediaType))
	if err != nil {
		t.Fatal(err)
	}
	reference, err := name.ParseReference(host + "/charts/one:v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(reference, image); err != nil {
		t.Fatal(err)
	}
	from := &corev1.OCIRepository{Ref: ptr.To(host + "/charts/one:v1")}
	t.Run("GLT-22 a registry of the own machine needs no TLS for what everybody may read", func(t *testing.T) {
		if archive, err := new(Puller).Pull(t.Context(), from, Access{}); err != nil || string(archive) != "plain chart" {
			t.Errorf("got %q, %v", archive, err)
		}
	})
	trusted, _ := serve(t)
	for what, access := range map[string]Access{
		"a pull secret": {PullSecret: fmt.Appendf(nil, `{"auths":{%q:{"username":"puller","password":%q}}}`, host, password)},
		"a CA bundle":   {CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.Certificate().Raw})},
	} {
		t.Run("GLT-22 no chart is pulled without TLS by who has "+what, func(t *testing.T) {
			archive, err := new(Puller).Pull(t.Context(), from, access)
			if err == nil || !strings.Contains(err.Error(), "https") {
				t.Errorf("got %q, %v", archive, err)
			}
			if secrets > 0 {
				t.Errorf("the registry got credentials %d times", secrets)
			}
		})
	}
}

func TestPullEnds(t *testing.T) {
	t.Run("GLT-22 a registry that does not answer holds up nobody", func(t *testing.T) {
		over := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
		t.Cleanup(server.Close)
		t.Cleanup(func() { close(over) })
		from := &corev1.OCIRepository{Ref: ptr.To(strings.TrimPrefix(server.URL, "http://") + "/charts/one:v1")}
		puller := &Puller{Patience: 50 * time.Millisecond}
		if archive, err := puller.Pull(t.Context(), from, Access{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %q, %v", archive, err)
		}
	})
}
