package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// NewSeed describes a further seed. The landscape chooses ranges that are empty.
type NewSeed struct {
	Name        string `json:"name"`
	Provider    string `json:"provider,omitempty"`
	NodeImage   string `json:"nodeImage,omitempty"`
	PodCIDR     string `json:"podCIDR,omitempty"`
	ServiceCIDR string `json:"serviceCIDR,omitempty"`
}

func serveAddSeed(add func(context.Context, NewSeed) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var seed NewSeed
		if err := json.NewDecoder(r.Body).Decode(&seed); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, add(r.Context(), seed))
	}
}

// AddSeed asks the daemon to bring up a further seed and does not wait until the seed is ready.
func (c *Client) AddSeed(ctx context.Context, seed NewSeed) error {
	body, err := json.Marshal(seed)
	if err != nil {
		return err
	}
	if _, err := c.order(ctx, http.MethodPost, "/seeds", bytes.NewReader(body)); err != nil {
		return fmt.Errorf("add seed %q: %w", seed.Name, err)
	}
	return nil
}

// RemoveSeed asks the daemon to remove a further seed that no shoot uses. It does not wait until the seed is removed. The
// error is ErrUnknownSeed if the daemon has not brought up the seed.
func (c *Client) RemoveSeed(ctx context.Context, name string) error {
	found, err := c.order(ctx, http.MethodDelete, "/seeds/"+url.PathEscape(name), nil)
	if !found {
		return fmt.Errorf("remove seed %q: %w", name, ErrUnknownSeed)
	}
	if err != nil {
		return fmt.Errorf("remove seed %q: %w", name, err)
	}
	return nil
}
