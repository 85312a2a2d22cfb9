package gardenlet

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

func TestCheckGarden(t *testing.T) {
	serve := func(t *testing.T, paths ...string) string {
		mux := http.NewServeMux()
		for _, path := range paths {
			mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, "{}")
			})
		}
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		return server.URL
	}
	refused := func(t *testing.T) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		return "http://" + listener.Addr().String()
	}
	for name, tc := range map[string]struct {
		host string
		want string
	}{
		"ARC-12 a garden that does not listen is named with what to look at": {refused(t), "seed a cannot reach the API server of the garden"},
		"ARC-12 a server without the Gardener API is told":                   {serve(t, "/version"), "does not serve core.gardener.cloud/v1beta1"},
		"ARC-12 a garden passes":                                             {serve(t, "/version", "/apis/core.gardener.cloud/v1beta1"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkGarden(t.Context(), "a", &rest.Config{Host: tc.host})
			if tc.want == "" && err != nil {
				t.Errorf("error %v, want none", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.host)) {
				t.Errorf("error %v, want %q and %q", err, tc.want, tc.host)
			}
		})
	}
}
