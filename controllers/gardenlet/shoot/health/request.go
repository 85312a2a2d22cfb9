// Package health checks whether the components of a shoot work, and evaluates their status. Both the flow and the
// health checks of shoots use it.
package health

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// requestTimeout limits one request to the shoot.
const requestTimeout = 10 * time.Second

// Get requests a path of an API server and returns the status code and the beginning of the body.
func Get(ctx context.Context, config *rest.Config, path string) (int, []byte, error) {
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, nil, fmt.Errorf("make client: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+path, nil)
	if err != nil {
		return 0, nil, fmt.Errorf("make request: %w", err)
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	return response.StatusCode, body, err
}
