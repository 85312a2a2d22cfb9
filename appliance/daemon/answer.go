package daemon

import (
	"context"
	"errors"
	"net/http"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// ErrUnknownSeed says that the landscape has not brought up a further seed of that name.
var ErrUnknownSeed = errors.New("the landscape has brought up no such seed")

// serveNamed executes an order about the name in the path. If the order fails, it answers with the reason as plain text.
func serveNamed(order func(context.Context, string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer(w, order(r.Context(), r.PathValue("name")))
	}
}

func answer(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
		w.WriteHeader(http.StatusOK)
	case errors.Is(err, component.ErrUnknownPart), errors.Is(err, ErrUnknownSeed):
		http.Error(w, err.Error(), http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
