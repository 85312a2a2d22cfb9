package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// serveTrySeed answers with the object that would be added.
func serveTrySeed(try func(context.Context, NewSeed) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var seed NewSeed
		if err := json.NewDecoder(r.Body).Decode(&seed); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		object, err := try(r.Context(), seed)
		if err != nil {
			answer(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object)
	}
}

// TrySeed asks the daemon whether it could bring up a further seed, and decodes the Seed that the garden would store into object.
func (c *Client) TrySeed(ctx context.Context, seed NewSeed, object any) error {
	body, err := json.Marshal(seed)
	if err != nil {
		return err
	}
	_, err = c.ask(ctx, http.MethodPost, "/seeds/try", bytes.NewReader(body), func(answer io.Reader) error { return json.NewDecoder(answer).Decode(object) })
	if err != nil {
		return fmt.Errorf("add seed %q: %w", seed.Name, err)
	}
	return nil
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
