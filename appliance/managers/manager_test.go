package managers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/go-logr/logr/funcr"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// unserved is a manager that keeps no checks.
type unserved struct{ manager.Manager }

func (unserved) AddReadyzCheck(string, healthz.Checker) error { return nil }

func TestWhatAManagerRunsHasItsLogger(t *testing.T) {
	var names []string
	o := options{Log: funcr.New(func(name, _ string) { names = append(names, name) }, funcr.Options{}).WithName("gardenlet")}
	log.FromContext(o.settings(nil).BaseContext()).Info("Serving")
	if !slices.Equal(names, []string{"gardenlet"}) {
		t.Errorf("APP-35 it logs as %q", names)
	}
}

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
