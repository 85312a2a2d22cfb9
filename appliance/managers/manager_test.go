package managers

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// unserved is a manager that keeps no checks.
type unserved struct{ manager.Manager }

func (unserved) AddReadyzCheck(string, healthz.Checker) error { return nil }

func TestARoleWaitsForTheChecksOfItsManagers(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "asked")
	missing := errors.New("not registered yet")
	mgr := &checked{Manager: unserved{}}
	for name, check := range map[string]healthz.Checker{
		"passes": healthz.Ping,
		"webhooks": func(request *http.Request) error {
			if request.Context().Value(key{}) != "asked" {
				t.Error("the check has another context")
			}
			return missing
		},
	} {
		if err := mgr.AddReadyzCheck(name, check); err != nil {
			t.Fatal(err)
		}
	}
	if err := ready(ctx, []manager.Manager{unserved{}, mgr}); !errors.Is(err, missing) {
		t.Errorf("ready: %v, want %v", err, missing)
	}
	missing = nil
	if err := ready(ctx, []manager.Manager{unserved{}, mgr}); err != nil {
		t.Errorf("ready: %v", err)
	}
}
