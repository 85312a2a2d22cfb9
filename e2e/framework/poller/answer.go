package poller

import (
	"fmt"
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// Answer lists Secrets and returns the HTTP status code of the answer. It asks again while the server fails.
func Answer(t *testing.T, config *rest.Config) int {
	t.Helper()
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	testwait.Until(t, "the API server answers", func() error { // it may just restart
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/api/v1/namespaces/default/secrets", nil)
		if err != nil {
			return err
		}
		response, err := transport.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if code = response.StatusCode; code >= http.StatusInternalServerError {
			return fmt.Errorf("the answer is %d", code)
		}
		return nil
	})
	return code
}
