package poller

import (
	"net/http"
	"testing"

	"k8s.io/client-go/rest"
)

// Answer lists Secrets once and returns the HTTP status code of the answer.
func Answer(t *testing.T, config *rest.Config) int {
	t.Helper()
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/api/v1/namespaces/default/secrets", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}
