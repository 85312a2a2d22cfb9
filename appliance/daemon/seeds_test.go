package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSeedsOverTheSocket(t *testing.T) {
	var added, tried NewSeed
	socket := filepath.Join(t.TempDir(), "control.sock")
	control, err := Serve(socket, Handlers{
		AddSeed: func(_ context.Context, seed NewSeed) error {
			if added = seed; seed.Name == "taken" {
				return errors.New("there is one already")
			}
			return nil
		},
		TrySeed: func(_ context.Context, seed NewSeed) (any, error) {
			if tried = seed; seed.Name == "taken" {
				return nil, errors.New("there is one already")
			}
			return map[string]string{"name": seed.Name}, nil
		},
		RemoveSeed: func(_ context.Context, name string) error {
			return map[string]error{"two": nil, "used": errors.New("it is used by a shoot"), "nobody": fmt.Errorf("nobody: %w", ErrUnknownSeed)}[name]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	client := NewClient(socket)
	want := NewSeed{Name: "two", PodCIDR: "127.65.16.0/20", ServiceCIDR: "127.97.16.0/20"}
	if err := client.AddSeed(t.Context(), want); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, added); diff != "" {
		t.Errorf("the seed that was added (-want +got):\n%s", diff)
	}
	if err := client.AddSeed(t.Context(), NewSeed{Name: "taken"}); err == nil || !strings.Contains(err.Error(), "there is one already") {
		t.Errorf("got %v", err)
	}
	object := map[string]string{}
	if err := client.TrySeed(t.Context(), NewSeed{Name: "three", PodCIDR: "127.65.16.0/20"}, &object); err != nil || object["name"] != "three" || tried.PodCIDR != "127.65.16.0/20" {
		t.Errorf("got %v, %v for %v", object, err, tried)
	}
	if err := client.TrySeed(t.Context(), NewSeed{Name: "taken"}, &object); err == nil || !strings.Contains(err.Error(), "there is one already") {
		t.Errorf("got %v", err)
	}
	if added.Name != "taken" {
		t.Errorf("%q was added", added.Name)
	}
	if err := client.RemoveSeed(t.Context(), "two"); err != nil {
		t.Error(err)
	}
	if err := client.RemoveSeed(t.Context(), "used"); err == nil || !strings.Contains(err.Error(), "used by a shoot") {
		t.Errorf("got %v", err)
	}
	if err := client.RemoveSeed(t.Context(), "nobody"); !errors.Is(err, ErrUnknownSeed) {
		t.Errorf("got %v", err)
	}
}
