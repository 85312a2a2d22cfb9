package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/prometheus/prometheus/promql"
)

// badRequest is a mistake of the client.
type badRequest struct{ error }

// answer is how Prometheus answers.
type answer struct {
	Status    string   `json:"status"`
	Data      any      `json:"data,omitempty"`
	ErrorType string   `json:"errorType,omitempty"`
	Error     string   `json:"error,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// question is one function of the API.
type question func(r *http.Request) (data any, warnings []string, err error)

func (q question) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	if err := r.ParseForm(); err != nil {
		write(w, http.StatusBadRequest, answer{Status: "error", ErrorType: "bad_data", Error: err.Error()})
		return
	}
	data, warnings, err := q(r)
	if err == nil {
		write(w, http.StatusOK, answer{Status: "success", Data: data, Warnings: warnings})
		return
	}
	code, kind := http.StatusUnprocessableEntity, "execution"
	var (
		bad      badRequest
		timeout  promql.ErrQueryTimeout
		canceled promql.ErrQueryCanceled
		storage  promql.ErrStorage
	)
	switch {
	case errors.As(err, &bad):
		code, kind = http.StatusBadRequest, "bad_data"
	case errors.As(err, &timeout):
		code, kind = http.StatusServiceUnavailable, "timeout"
	case errors.As(err, &canceled):
		code, kind = 499, "canceled" // as Prometheus
	case errors.As(err, &storage):
		code, kind = http.StatusInternalServerError, "internal"
	}
	write(w, code, answer{Status: "error", ErrorType: kind, Error: err.Error()})
}

func write(w http.ResponseWriter, code int, a answer) {
	text, err := json.Marshal(a)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(text)
}
