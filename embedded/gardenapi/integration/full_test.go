package integration

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission"
)

// send makes a request and returns the status with the body.
func send(t *testing.T, config *rest.Config, method, path, contentType string, body []byte) (int, string) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, config.Host+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// TestFullExamples applies every field of every kind. What the examples refer to is not there, so that nobody asks for it.
func TestFullExamples(t *testing.T) {
	_, direct := another(t, func(c *gardenapi.Config) { c.DisableAdmissionPlugins = admission.Names() })
	files, err := filepath.Glob("../../../examples/full/*.yaml")
	if err != nil || len(files) < 25 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		t.Run("API-2 "+filepath.Base(file)+" can be applied", func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var object struct {
				APIVersion string `json:"apiVersion"`
				Kind       string `json:"kind"`
				Metadata   struct {
					Name, Namespace string
				} `json:"metadata"`
			}
			if err := yaml.Unmarshal(text, &object); err != nil {
				t.Fatal(err)
			}
			path := "/apis/" + object.APIVersion + "/"
			if object.Metadata.Namespace != "" {
				path += "namespaces/" + object.Metadata.Namespace + "/"
			}
			path += plural(t, object.APIVersion, object.Kind) + "/" + object.Metadata.Name + "?dryRun=All&fieldManager=test&fieldValidation=Strict&force=true"
			if status, answer := send(t, direct, http.MethodPatch, path, "application/apply-patch+yaml", text); status > 201 {
				t.Errorf("status %d: %s", status, answer)
			}
		})
	}
}

func plural(t *testing.T, version, kind string) string {
	t.Helper()
	for line := range strings.Lines(resources) {
		words := strings.Fields(line)
		if words[0] == version && words[2] == kind && !strings.Contains(words[1], "/") {
			return words[1]
		}
	}
	t.Fatalf("no kind %s in %s", kind, version)
	return ""
}

func TestBadInput(t *testing.T) {
	const (
		asJSON   = "application/json"
		profiles = "/apis/core.gardener.cloud/v1beta1/cloudprofiles"
		states   = "/apis/core.gardener.cloud/v1beta1/namespaces/default/shootstates"
		strict   = "?fieldValidation=Strict"
		head     = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"ShootState","metadata":{"name":"bad","namespace":"default"`
	)
	state := func(data string) []byte {
		return []byte(head + `},"spec":{"gardener":[{"name":"a","type":"secret","data":` + data + `}]}}`)
	}
	s := shoot(t)
	one := "/apis/core.gardener.cloud/v1beta1/namespaces/" + s.Namespace + "/shoots/" + s.Name
	for name, tc := range map[string]struct {
		method, path, contentType string
		body                      []byte
		status                    int
		part                      string
	}{
		"an unknown field":                           {http.MethodPost, states + strict, asJSON, []byte(head + `},"spec":{"gardner":[]}}`), 400, "spec.gardner"},
		"a field twice":                              {http.MethodPost, states + strict, asJSON, []byte(head + `},"spec":{},"spec":{}}`), 400, "duplicate field"},
		"a wrong type":                               {http.MethodPost, states, asJSON, []byte(head + `},"spec":{"gardener":"a"}}`), 400, "gardener"},
		"a number that is no integer":                {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"spec":{"provider":{"workers":[{"name":"a","minimum":1.5}]}}}`), 422, "minimum"},
		"a number too large":                         {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"spec":{"kubernetes":{"kubeAPIServer":{"requests":{"maxMutatingInflight":99999999999}}}}}`), 422, "maxMutatingInflight"},
		"no JSON":                                    {http.MethodPost, states, asJSON, []byte(`{`), 400, ""},
		"nothing":                                    {http.MethodPost, states, asJSON, nil, 400, ""},
		"another kind":                               {http.MethodPost, states, asJSON, []byte(`{"apiVersion":"v1","kind":"Secret"}`), 400, ""},
		"an unknown content type":                    {http.MethodPost, states, "application/xml", []byte(`<a/>`), 415, ""},
		"a list for an object":                       {http.MethodPost, states, asJSON, []byte(`[]`), 400, ""},
		"megabytes of annotations":                   {http.MethodPost, states, asJSON, []byte(head + `,"annotations":{"a":"` + strings.Repeat("x", 1<<20) + `"}}}`), 422, "metadata.annotations"},
		"API-41 more than etcd takes":                {http.MethodPost, states, asJSON, state(`"` + strings.Repeat("x", 17<<17) + `"`), 413, "1.5 MiB"},
		"API-41 much more than that":                 {http.MethodPost, states, asJSON, state(`"` + strings.Repeat("x", 5<<19) + `"`), 413, "1.5 MiB"},
		"API-41 more than is read":                   {http.MethodPost, states, asJSON, state(`"` + strings.Repeat("x", 4<<20) + `"`), 413, ""},
		"a deep document":                            {http.MethodPost, states, asJSON, state(strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000)), 400, ""},
		"API-41 megabytes of annotations in a patch": {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 1<<20) + `"}}}`), 422, "metadata.annotations"},
		"API-41 a number for an object":              {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"spec":{"provider":{"infrastructureConfig":1}}}`), 422, "spec.provider.infrastructureConfig"},
		"API-41 a text for an object":                {http.MethodPatch, one + "?fieldManager=x", "application/apply-patch+yaml", []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","spec":{"networking":{"providerConfig":"x"}}}`), 422, "spec.networking.providerConfig"},
		"API-41 a deep patch":                        {http.MethodPatch, one, "application/merge-patch+json", []byte(strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000)), 400, ""},
		"API-41 a deep apply":                        {http.MethodPatch, one + "?fieldManager=x", "application/apply-patch+yaml", []byte(strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000)), 400, ""},
		"API-41 an apply without manager":            {http.MethodPatch, one, "application/apply-patch+yaml", []byte(head + "}}"), 422, "fieldManager"},
		"API-41 no YAML":                             {http.MethodPatch, one + "?fieldManager=x", "application/apply-patch+yaml", []byte("a: b: c"), 400, ""},
		"API-41 aliases that grow":                   {http.MethodPost, states, "application/yaml", []byte("a: &a [x,x,x,x,x,x,x,x,x]\n" + bomb()), 400, ""},
		"API-41 a document that is no UTF-8":         {http.MethodPost, states, asJSON, []byte("\xff\xfe\x00"), 400, ""},
		"API-41 duplicate keys of a map":             {http.MethodPost, states + strict, asJSON, []byte(head + `,"labels":{"a":"1","a":"2"}}}`), 400, "duplicate field"},
		"API-41 an invalid selector in a spec":       {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"spec":{"seedSelector":{"matchExpressions":[{"key":"a","operator":"Like"}]}}}`), 422, "spec.seedSelector"},
		"API-41 a strategic patch of a wrong type":   {http.MethodPatch, one, "application/strategic-merge-patch+json", []byte(`{"spec":{"provider":{"workers":{"name":"a"}}}}`), 422, "patch"},
		"API-41 a JSON patch without end":            {http.MethodPatch, one, "application/json-patch+json", []byte(`[{"op":"add","path":"/metadata/labels/x"`), 400, ""},
		"API-41 a JSON patch that tests in vain":     {http.MethodPatch, one, "application/json-patch+json", []byte(`[{"op":"test","path":"/metadata/name","value":"other"}]`), 422, ""},
		"API-41 options that do not exist":           {http.MethodPost, states + "?dryRun=Some", asJSON, []byte(head + `}}`), 422, "dryRun"},
		"invalid UTF-8 in a label":                   {http.MethodPost, states, asJSON, []byte(head + ",\"labels\":{\"a\":\"\xff\xfe\"}}}"), 422, "metadata.labels"},
		"an invalid selector":                        {http.MethodGet, states + "?labelSelector=a%20b%20c", asJSON, nil, 400, ""},
		"an unknown field selector":                  {http.MethodGet, states + "?fieldSelector=spec.nothing%3Da", asJSON, nil, 400, "spec.nothing"},
		"an invalid continuation":                    {http.MethodGet, states + "?continue=x", asJSON, nil, 400, ""},
		"an invalid version":                         {http.MethodGet, states + "?resourceVersion=x", asJSON, nil, 400, ""},
		"an unknown patch":                           {http.MethodPatch, one, "application/json-patch+json", []byte(`[{"op":"move","path":"/a","from":"/b"}]`), 422, ""},
		"a patch of another name":                    {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"metadata":{"name":"other"}}`), 400, "name"},
		"overlapping networks":                       {http.MethodPatch, one, "application/merge-patch+json", []byte(`{"spec":{"networking":{"pods":"10.0.0.0/11","nodes":"10.0.0.0/16"}}}`), 422, "spec.networking.pods"},
		"an update without version":                  {http.MethodPut, one, asJSON, mustJSON(t, withoutVersion(s)), 422, "metadata.resourceVersion"},
		"many mistakes at once":                      {http.MethodPost, profiles, asJSON, []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile","metadata":{"name":"bad"}}`), 422, "spec.machineTypes"},
		"a verb that is not there":                   {http.MethodPost, one + "/status", asJSON, []byte(`{}`), 405, ""},
		"an unknown subresource":                     {http.MethodGet, one + "/nothing", asJSON, nil, 404, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer := send(t, garden.Config, tc.method, tc.path, tc.contentType, tc.body)
			if status != tc.status || !strings.Contains(answer, tc.part) {
				t.Errorf("got %d with %.400s, want %d with %q", status, answer, tc.status, tc.part)
			}
		})
	}
	t.Run("nothing of all that is stored", func(t *testing.T) {
		if status, answer := send(t, garden.Config, http.MethodGet, states+"/bad", asJSON, nil); status != 404 {
			t.Errorf("got %d with %.200s", status, answer)
		}
	})
	t.Run("the server still answers", func(t *testing.T) {
		if status, _ := send(t, garden.Config, http.MethodGet, one, asJSON, nil); status != 200 {
			t.Error(fmt.Sprint("got ", status))
		}
	})
}

// bomb is YAML whose aliases would grow to billions of elements.
func bomb() string {
	var out strings.Builder
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&out, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	return out.String()
}
