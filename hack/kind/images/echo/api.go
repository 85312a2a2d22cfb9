package main

import (
	"encoding/json"
	"net/http"
	"os"
)

// The API that the server adds to its cluster as an aggregated API: read-only, with one object, which names its server.
const (
	apiGroup    = "echo.e2e.test"
	apiVersion  = "v1"
	apiResource = "greetings"
	apiKind     = "Greeting"
	apiObject   = "hello"
)

// greeting is the object.
type greeting struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Message    string            `json:"message"` // the variable GREETING
	Pod        string            `json:"pod"`     // the name of the pod that responds
}

// addAPI serves the discovery documents, the list and the object.
func addAPI(mux *http.ServeMux) {
	const groupVersion, list = apiGroup + "/" + apiVersion, "/apis/" + apiGroup + "/" + apiVersion + "/" + apiResource
	version := map[string]string{"groupVersion": groupVersion, "version": apiVersion}
	group := map[string]any{"kind": "APIGroup", "apiVersion": "v1", "name": apiGroup, "versions": []any{version}, "preferredVersion": version}
	documents := map[string]func() any{
		"/apis":             func() any { return map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{group}} },
		"/apis/" + apiGroup: func() any { return group },
		"/apis/" + groupVersion: func() any {
			return map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion, "resources": []any{map[string]any{
				"name": apiResource, "singularName": "greeting", "namespaced": false, "kind": apiKind, "verbs": []string{"get", "list"},
			}}}
		},
		list: func() any {
			return map[string]any{"kind": apiKind + "List", "apiVersion": groupVersion, "metadata": map[string]string{}, "items": []any{greet(groupVersion)}}
		},
		list + "/" + apiObject: func() any { return greet(groupVersion) },
	}
	for path, document := range documents {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(document())
		})
	}
	mux.HandleFunc("/apis/", http.NotFound)
}

func greet(groupVersion string) greeting {
	name, _ := os.Hostname()
	return greeting{APIVersion: groupVersion, Kind: apiKind, Metadata: map[string]string{"name": apiObject}, Message: os.Getenv("GREETING"), Pod: name}
}
