package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/testenv"
)

func get(t *testing.T, path string, header http.Header) (*http.Response, []byte) {
	t.Helper()
	client, err := rest.HTTPClientFor(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, garden.Config.Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header.Clone()
	response, err := client.Do(request)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return response, body
}

// documents is the list of documents of version 3: their addresses by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	_, body := get(t, "/openapi/v3", nil)
	var list struct {
		Paths map[string]struct {
			URL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("list of documents: %v in %s", err, body)
	}
	found := map[string]string{}
	for path, document := range list.Paths {
		found[path] = document.URL
	}
	return found
}

// drops counts how often the server has dropped documents.
func drops(t *testing.T) int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(garden.Dir, "kube-apiserver.log"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(log, []byte("Dropped OpenAPI documents"))
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	garden.Until(t, what, func(context.Context) error {
		if !holds() {
			return errors.New("it is not so")
		}
		return nil
	})
}

// kinds are one of each sort, with what kubectl explains of a field.
var kinds = []struct{ sort, path, field, explained, schema string }{
	{"built in", "apis/apps/v1", "deployments.spec.replicas", "Number of desired pods", "io.k8s.api.apps.v1.Deployment"},
	{"of a CustomResourceDefinition", "apis/test.example.org/v1", "widgets.spec.size", "Says how much.", "org.example.test.v1.Widget"},
	{"aggregated", "apis/core.gardener.cloud/v1beta1", "shoots.spec.region", "FIELD: region", "com.github.gardener.gardener.pkg.apis.core.v1beta1.Shoot"},
	{"of the aggregator", "apis/apiregistration.k8s.io/v1", "apiservices.spec.version", "FIELD: version", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"},
}

func TestOpenAPI(t *testing.T) {
	var first map[string]string
	for _, round := range []string{"at first", "after the documents were dropped"} {
		before := drops(t)
		t.Run(round, func(t *testing.T) {
			all := documents(t)
			if first == nil {
				first = all
			}
			_, body := get(t, "/openapi/v2", nil)
			var v2 struct {
				Definitions map[string]json.RawMessage `json:"definitions"`
			}
			if err := json.Unmarshal(body, &v2); err != nil {
				t.Fatal(err)
			}
			for _, kind := range kinds {
				t.Run("kinds "+kind.sort+" are explained and described", func(t *testing.T) {
					if all[kind.path] == "" || all[kind.path] != first[kind.path] {
						t.Errorf("address of the document is %q, was %q", all[kind.path], first[kind.path])
					}
					if _, body := get(t, all[kind.path], nil); !bytes.Contains(body, []byte(`"`+kind.schema+`"`)) {
						t.Errorf("no %s in the document of version 3", kind.schema)
					}
					if v2.Definitions[kind.schema] == nil {
						t.Errorf("no %s in the document of version 2", kind.schema)
					}
					if output, err := kubectl(t, "", "explain", kind.field); err != nil || !strings.Contains(output, kind.explained) {
						t.Errorf("kubectl explain %s: %v\n%s", kind.field, err, output)
					}
				})
			}
		})
		eventually(t, "both versions are dropped", func() bool { return drops(t) >= before+2 })
	}
}

func TestDocumentsAreNegotiated(t *testing.T) {
	t.Run("version 2 has an entity tag and a form in protobuf", func(t *testing.T) {
		response, _ := get(t, "/openapi/v2", nil)
		tag := response.Header.Get("ETag")
		if response, _ := get(t, "/openapi/v2", http.Header{"If-None-Match": {tag}}); tag == "" || response.StatusCode != http.StatusNotModified {
			t.Errorf("tag %q, answer %s", tag, response.Status)
		}
		_, body := get(t, "/openapi/v2", http.Header{"Accept": {"application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}})
		var document openapi_v2.Document
		if err := proto.Unmarshal(body, &document); err != nil || document.Swagger != "2.0" {
			t.Errorf("protobuf: %v, swagger %q", err, document.Swagger)
		}
	})
	t.Run("version 2 comes compressed to those who can read that", func(t *testing.T) {
		response, body := get(t, "/openapi/v2", http.Header{"Accept-Encoding": {"gzip"}})
		if response.Header.Get("Content-Encoding") != "gzip" || !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			t.Errorf("encoding %q, begins with %x", response.Header.Get("Content-Encoding"), body[:2])
		}
	})
	t.Run("a document of version 3 may be kept when asked for by its hash", func(t *testing.T) {
		response, _ := get(t, documents(t)["apis/apps/v1"], nil)
		if !strings.Contains(response.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("headers %v", response.Header)
		}
		if response, _ := get(t, "/openapi/v3/apis/nothing/v1", nil); response.StatusCode != http.StatusNotFound {
			t.Errorf("an unknown group: %s", response.Status)
		}
	})
}

func TestDocumentsFollowCustomResourceDefinitions(t *testing.T) {
	const path = "apis/test.example.org/v1"
	before := documents(t)[path]
	extra := definition("Gadget", "gadgets", "weight")
	if err := testenv.InstallCRDs(t.Context(), garden.Config, []*apiextensionsv1.CustomResourceDefinition{extra}); err != nil {
		t.Fatal(err)
	}
	has := func(address string) bool {
		_, body := get(t, address, nil)
		return bytes.Contains(body, []byte("org.example.test.v1.Gadget"))
	}
	eventually(t, "a new kind is described", func() bool { now := documents(t)[path]; return now != before && has(now) })
	eventually(t, "in version 2, too", func() bool { return has("/openapi/v2") })
	if output, err := kubectl(t, "", "delete", "crd", extra.Name); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	eventually(t, "a deleted kind is not described", func() bool { return documents(t)[path] == before && !has("/openapi/v2") })
}

func TestKubectlValidatesAndApplies(t *testing.T) {
	for name, object := range map[string]string{
		"a built-in kind":                      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":{"a":"b"}%s}`,
		"a kind of a CustomResourceDefinition": `{"apiVersion":"test.example.org/v1","kind":"Widget","metadata":{"name":"%s"},"spec":{"size":"1"}%s}`,
		"an aggregated kind":                   `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Quota","metadata":{"name":"%s","namespace":"default"},"spec":{"scope":{"apiVersion":"v1","kind":"Secret"},"metrics":{"cpu":"1"}}%s}`,
	} {
		t.Run(name, func(t *testing.T) {
			good, bad := fmt.Sprintf(object, "openapi", ""), fmt.Sprintf(object, "openapi", `,"unknown":{}`)
			for _, args := range [][]string{{"create", "--dry-run=client"}, {"create", "--dry-run=server"}, {"apply"}, {"apply", "--server-side", "--force-conflicts"}} {
				if output, err := kubectl(t, good, append(args, "-f", "-")...); err != nil {
					t.Errorf("kubectl %s: %v\n%s", args, err, output)
				}
				if args[len(args)-1] == "--dry-run=client" {
					continue // leaves unknown fields to servers that check them
				}
				if output, err := kubectl(t, bad, append(args, "--validate=strict", "-f", "-")...); err == nil || !strings.Contains(output, "unknown") {
					t.Errorf("kubectl %s takes an unknown field: %v\n%s", args, err, output)
				}
			}
		})
	}
}
