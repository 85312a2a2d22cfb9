package reading_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework/reading"
)

func TestReads(t *testing.T) {
	for args, want := range map[string]bool{
		"get shoots -A":                true,
		"-n garden-local get shoot a":  true,
		"get shoot a -o jsonpath={.x}": true,
		"get --raw /version":           true,
		"get shoots -w":                false,
		"get shoots -Aw":               false,
		"get -f -":                     false,
		"get shoots --watch-only":      false,
		"get --kubeconfig=other pods":  false,
		"delete get a":                 false,
		"explain pods":                 false,
		"":                             false,
	} {
		if got := reading.Reads(strings.Fields(args)); got != want {
			t.Errorf("kubectl %s: %v, want %v", args, got, want)
		}
	}
}

// server is an API server with one ConfigMap.
func server(t *testing.T) reading.Place {
	t.Helper()
	answers := map[string]any{
		"/api":  map[string]any{"kind": "APIVersions", "versions": []string{"v1"}},
		"/apis": map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}},
		"/api/v1": map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			map[string]any{"name": "configmaps", "singularName": "configmap", "namespaced": true, "kind": "ConfigMap", "verbs": []string{"get", "list"}},
		}},
		"/api/v1/namespaces/default/configmaps/a": map[string]any{
			"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"name": "a", "namespace": "default"}, "data": map[string]any{"k": "v"},
		},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound, "message": "it is not there"}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	place := reading.Place{Kubeconfig: filepath.Join(dir, "kubeconfig"), Home: dir}
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],`+
		`"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"u"}]}`, s.URL)
	if err := os.WriteFile(place.Kubeconfig, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return place
}

func TestGet(t *testing.T) {
	place := server(t)
	for _, c := range []struct {
		args []string
		want reading.Output
	}{
		{[]string{"get", "configmap", "a", "-o", "jsonpath={.data.k}"}, reading.Output{Stdout: "v"}},
		{[]string{"get", "cm/a", "-o", "name"}, reading.Output{Stderr: `error: the server doesn't have a resource type "cm"` + "\n", Code: 1}},
		{[]string{"get", "configmap", "b"}, reading.Output{Stderr: "Error from server (NotFound): it is not there\n", Code: 1}},
		{[]string{"get", "configmap", "b", "--unknown"}, reading.Output{Stderr: "error: unknown flag: --unknown\n", Code: 1}},
	} {
		if got, err := reading.Get(t.Context(), place, c.args); err != nil || got != c.want {
			t.Errorf("kubectl %s: %+v, %v, want %+v", strings.Join(c.args, " "), got, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(func() { silent.CloseClientConnections(); silent.Close() })
	if _, err := reading.Get(ctx, place, []string{"get", "--raw", "/version", "--server", silent.URL}); err == nil {
		t.Error("a question without an answer does not end with its context")
	}
}
