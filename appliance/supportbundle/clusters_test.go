package supportbundle

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/supportbundle/redact"
)

// answers are those of an API server that knows pods, events and Secrets. The Secret has the word in base64.
var answers = map[string]string{
	"/api":  `{"kind":"APIVersions","versions":["v1"]}`,
	"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
	"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[
{"name":"secrets","kind":"Secret","namespaced":true,"verbs":["list"]},{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list"]},
{"name":"events","kind":"Event","namespaced":true,"verbs":["list"]}]}`,
	"/api/v1/secrets": `{"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[
{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"data":{"word":"UGxhbnRlZC1Xb3JkLTE="}}]}`,
	"/api/v1/events": `{"kind":"EventList","apiVersion":"v1","metadata":{},"items":[
{"kind":"Event","apiVersion":"v1","metadata":{"name":"e","namespace":"b"},"message":"logged in with Planted-Word-1 today"}]}`,
	"/api/v1/pods": `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"b"},
"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"other-word"}]}]},"status":{"containerStatuses":[{"name":"c","containerID":"x","restartCount":1}]}}]}`,
	"/api/v1/namespaces/b/pods/p/log": "started with Planted-Word-1\n",
}

func serve(t *testing.T) Cluster {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return Cluster{Name: "two", Config: func(context.Context) (*rest.Config, error) {
		return &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}, nil
	}}
}

func TestAPP22SecretsOfAClusterAreInNoObjectAndNoLog(t *testing.T) {
	cluster, known := serve(t), redact.NewKnown()
	if err := KnowCluster(t.Context(), known, cluster); err != nil {
		t.Fatal(err)
	}
	logs, err := cluster.PodLogs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	manifest, err := Bundle{Redactor: redact.New(known), Sections: append(cluster.Objects(), logs...)}.Write(t.Context(), &out)
	if err != nil || len(manifest.Missing) > 0 {
		t.Fatalf("missing %v, %v", manifest.Missing, err)
	}
	files := read(t, &out)
	for name, part := range map[string]string{
		"event.yaml": "logged in with [redacted] today", "pod.yaml": "value: '[left out]'", "logs/b/p/c.log": "started with [redacted]", "logs/b/p/c.previous.log": "started with",
	} {
		if text := files["gardener-support/seeds/two/"+name]; !strings.Contains(text, part) {
			t.Errorf("%s is %q", name, text)
		}
	}
	for name, text := range files {
		if strings.Contains(text, "Planted") || strings.Contains(text, "UGxhbnRlZC1X") || strings.Contains(text, "other-word") {
			t.Errorf("%s contains a secret: %s", name, text)
		}
	}
	if len(files) != 5 {
		t.Errorf("files %v", manifest.Files)
	}
}
