package federation

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-logr/logr/testr"
)

func TestHandler(t *testing.T) {
	h := func(accessed, found error) Handler {
		return Handler{
			Federation: New(limits()), Log: testr.New(t),
			Access: func(*http.Request) (Scope, error) { return Scope{}, accessed },
			Targets: func(context.Context, Scope) ([]Target, error) {
				return []Target{fake("garden", "a", "x 1\ny 2\n")}, found
			},
		}
	}
	for name, tc := range map[string]struct {
		handler Handler
		method  string
		status  int
		says    string
	}{
		"who may, reads the names that are asked for": {handler: h(nil, nil), status: 200, says: "x{"},
		"who has no credential is told how to log in": {handler: h(ErrUnauthenticated, nil), status: 401, says: ErrUnauthenticated.Error()},
		"who may not, is refused":                     {handler: h(ErrForbidden, nil), status: 403, says: ErrForbidden.Error()},
		"a scope that is none is refused":             {handler: h(ErrNoScope, nil), status: 400, says: "seed/<name>"},
		"a scope that does not exist is told":         {handler: h(nil, ErrUnknownScope), status: 404, says: "no such"},
		"other errors are not told":                   {handler: h(nil, errBoom), status: 503, says: "try again"},
		"metrics are only read":                       {handler: h(nil, nil), method: http.MethodPost, status: 405},
	} {
		t.Run(name, func(t *testing.T) {
			method := tc.method
			if method == "" {
				method = http.MethodGet
			}
			w := httptest.NewRecorder()
			tc.handler.ServeHTTP(w, httptest.NewRequest(method, "/metrics?name[]=x", nil))
			body := w.Body.String()
			if w.Code != tc.status || !strings.Contains(body, tc.says) || strings.Contains(body, "boom") || strings.Contains(body, "y{") {
				t.Errorf("status %d, body\n%s", w.Code, body)
			}
			if (w.Code == http.StatusUnauthorized) != (len(w.Header().Values("WWW-Authenticate")) == 2) {
				t.Errorf("challenges are %v", w.Header().Values("WWW-Authenticate"))
			}
		})
	}
}

func TestScope(t *testing.T) {
	for text, want := range map[string]Scope{
		"": {}, "garden": {Kind: Garden}, "seed/one": {Kind: Seed, Name: "one"}, "shoot/garden-dev/sun": {Kind: Shoot, Namespace: "garden-dev", Name: "sun"},
	} {
		if got, err := ParseScope(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"garden/x", "seed", "seed/", "seed/../x", "shoot/sun", "shoot/a/b/c", "all", "seed/A", "shoot/a/b%2f", "seed/a,b"} {
		if _, err := ParseScope(text); !errors.Is(err, ErrNoScope) {
			t.Errorf("%q: error is %v", text, err)
		}
	}
}
