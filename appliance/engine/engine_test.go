package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/containers"
)

// engineScript stands for docker: it answers at unix:///made and unix:///other only, and the seed of landscape x is in the file
// that is named like the place. What is removed is removed from that file.
const engineScript = `#!/bin/sh
place=$(dirname "$0")/${DOCKER_HOST#unix:///}
[ -e "$place" ] || { echo "Cannot connect to $DOCKER_HOST" >&2; exit 1; }
case "$1 $2" in
"info --format") echo 28.1.0;;
"context inspect") echo default;;
"container inspect") grep -q "^$3\$" "$place" && echo "[{\"Name\":\"$3\"}]" || { echo "No such container: $3" >&2; exit 1; };;
"ps --all"|"ps -a") cat "$place";;
"rm "*) >"$place";;
esac`

// engines makes places that the script answers at, by what they hold, and an environment that leads to one of them.
func engines(t *testing.T, places map[string]string, env string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(engineScript), 0o700); err != nil {
		t.Fatal(err)
	}
	for place, content := range places {
		if err := os.WriteFile(filepath.Join(dir, place), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	for _, name := range []string{containers.ProviderVariable, "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"} {
		t.Setenv(name, "")
	}
	t.Setenv("DOCKER_HOST", env)
	return dir
}

func at(place string) store.Engine {
	return store.Engine{Name: "docker", Variables: map[string]string{"DOCKER_HOST": "unix:///" + place}}
}

func TestFindEngine(t *testing.T) {
	const seed = "gardener-x-control-plane\n"
	for name, tc := range map[string]struct {
		places map[string]string
		env    string
		made   store.Engine
		want   store.Engine
		errors []string
	}{
		"a new landscape uses the engine that the environment names": {
			places: map[string]string{"other": ""}, env: "unix:///other", want: at("other"),
		},
		"an old one stays where it was made": {
			places: map[string]string{"made": seed, "other": ""}, env: "unix:///other", made: at("made"), want: at("made"),
		},
		"also if the environment leads nowhere": {
			places: map[string]string{"made": seed}, env: "unix:///nowhere", made: at("made"), want: at("made"),
		},
		"an engine that has moved is found at the endpoint that the environment names": {
			places: map[string]string{"other": seed}, env: "unix:///other", made: at("made"), want: at("other"),
		},
		"an engine that has nothing of the landscape is not taken for it": {
			places: map[string]string{"other": "something\n"}, env: "unix:///other", made: at("made"), errors: []string{"unix:///made", "Cannot connect", "if the engine has moved"},
		},
	} {
		t.Run("ARC-7 "+name, func(t *testing.T) {
			engines(t, tc.places, tc.env)
			found, err := engine.Find(t.Context(), "x", tc.made)
			if tc.errors != nil {
				if err == nil {
					t.Fatalf("found %s", found.Endpoint())
				}
				for _, part := range tc.errors {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("error does not tell %q: %v", part, err)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, store.Engine(found.Endpoint())); diff != "" {
				t.Errorf("engine (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPurgeAtTheEngineOfTheLandscape(t *testing.T) {
	dir := engines(t, map[string]string{"made": "gardener-x-control-plane\n", "other": "gardener-x-control-plane\n"}, "unix:///other")
	p, err := paths.New(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Create(); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load("", func(l *config.Landscape) { l.Name = "x" })
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(p.Store())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		s.SetIdentity(store.Identity{Name: "x"}), s.SetEngine(at("made")),
		s.Inventory().Add(store.Item{Kind: store.ItemCluster, ID: "gardener-x"}), s.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want, got := "DOCKER_HOST=unix:///other is ignored: the landscape was made with docker (DOCKER_HOST=unix:///made)", engine.Ignored(p); got != want {
		t.Errorf("warning is %q, want %q", got, want)
	}
	if found, err := state.Purge(cfg, p, nil); !found || err != nil {
		t.Fatalf("purge: %v, %v", found, err)
	}
	for place, want := range map[string]string{"made": "", "other": "gardener-x-control-plane\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, place)); string(got) != want || err != nil {
			t.Errorf("at %s there is %q, %v; want %q", place, got, err, want)
		}
	}
}
