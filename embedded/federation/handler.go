package federation

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-logr/logr"
	"github.com/prometheus/common/expfmt"
)

// Errors of Access. The handler tells nothing else to who asks.
var (
	ErrUnauthenticated = errors.New("no valid credential")
	ErrForbidden       = errors.New("the credential does not give access to these metrics")
	ErrNoScope         = errors.New("the scope is not valid: it is one of garden, seed/<name>, shoot/<namespace>/<name>")
	ErrUnknownScope    = errors.New("there is no such seed or shoot")
)

// Access decides who sees what. It returns the scope that the request is for, or one of the errors above.
type Access func(r *http.Request) (Scope, error)

// Finder lists the targets of a scope.
type Finder func(ctx context.Context, scope Scope) ([]Target, error)

// Handler serves the metrics. The parameter name[] chooses families.
type Handler struct {
	Federation *Federation
	Access     Access
	Targets    Finder
	Log        logr.Logger
}

// challenges name both ways to log in.
var challenges = []string{`Bearer realm="metrics"`, `Basic realm="metrics"`}

// ServeHTTP implements http.Handler.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "metrics are only read", http.StatusMethodNotAllowed)
		return
	}
	scope, err := h.Access(r)
	if err != nil {
		h.refuse(w, err)
		return
	}
	targets, err := h.Targets(r.Context(), scope)
	if err != nil {
		h.refuse(w, err)
		return
	}
	answer := h.Federation.Ask(r.Context(), targets)
	w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	w.Header().Set("Cache-Control", "no-store")
	_ = answer.Write(w, Names(r.URL.Query()["name[]"])) // who asked has gone
}

func (h Handler) refuse(w http.ResponseWriter, err error) {
	status := http.StatusServiceUnavailable
	for known, code := range map[error]int{
		ErrUnauthenticated: http.StatusUnauthorized, ErrForbidden: http.StatusForbidden, ErrNoScope: http.StatusBadRequest, ErrUnknownScope: http.StatusNotFound,
	} {
		if errors.Is(err, known) {
			status, err = code, known
		}
	}
	if status == http.StatusUnauthorized {
		w.Header()["Www-Authenticate"] = challenges
	}
	if status == http.StatusServiceUnavailable {
		h.Log.Error(err, "Metrics cannot be gathered")
		err = errors.New("the landscape does not answer; try again in a moment")
	}
	http.Error(w, err.Error(), status)
}
