package containers_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/local/containers"
)

// place lets a script answer only where DOCKER_HOST or DOCKER_CONTEXT lead to a place, and print what led there.
const place = `case "$DOCKER_HOST$DOCKER_CONTEXT" in unix:///right|right|default|"") ;; *) echo "Cannot connect to $DOCKER_HOST" >&2; exit 1;; esac
case "$1 $2" in "info --format") echo 28.1.0;; "context inspect") echo "${chosen:-default}";; *) echo "$DOCKER_HOST,$DOCKER_CONTEXT,$DOCKER_CERT_PATH";; esac`

// forget clears what the environment of the test says about engines.
func forget(t *testing.T) {
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "CONTAINER_HOST", "CONTAINERS_CONF"} {
		t.Setenv(name, "")
	}
}

func TestEndpointOfWhatWasDetected(t *testing.T) {
	for name, tc := range map[string]struct {
		engine string
		env    map[string]string
		want   containers.Endpoint
		text   string
	}{
		"docker where it usually is": {
			engine: "docker", want: containers.Endpoint{Name: "docker", Variables: map[string]string{"DOCKER_CONTEXT": "default"}}, text: "docker",
		},
		"docker's own configuration chose a context": {
			engine: "docker", env: map[string]string{"chosen": "right"},
			want: containers.Endpoint{Name: "docker", Variables: map[string]string{"DOCKER_CONTEXT": "right"}}, text: "docker (DOCKER_CONTEXT=right)",
		},
		"an address without the password in it": {
			engine: "podman", env: map[string]string{"CONTAINER_HOST": "ssh://me:secret@host/run/podman.sock", "CONTAINERS_CONF": "/c"},
			want: containers.Endpoint{Name: "podman", Variables: map[string]string{"CONTAINER_HOST": "ssh://me@host/run/podman.sock", "CONTAINERS_CONF": "/c"}},
			text: "podman (CONTAINERS_CONF=/c, CONTAINER_HOST=ssh://me@host/run/podman.sock)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			install(t, map[string]string{tc.engine: place})
			forget(t)
			for key, value := range tc.env {
				t.Setenv(key, value)
			}
			t.Setenv(containers.ProviderVariable, tc.engine)
			got := detect(t).Endpoint()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("endpoint (-want +got):\n%s", diff)
			}
			if got.String() != tc.text {
				t.Errorf("it is called %q, want %q", got, tc.text)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	right := containers.Endpoint{Name: "docker", Variables: map[string]string{"DOCKER_HOST": "unix:///right"}}
	t.Run("the endpoint counts, not what the environment says today", func(t *testing.T) {
		install(t, map[string]string{"docker": place, "podman": answer("")})
		forget(t)
		t.Setenv(containers.ProviderVariable, "podman")
		t.Setenv("DOCKER_CONTEXT", "elsewhere")
		t.Setenv("DOCKER_CERT_PATH", "/elsewhere")
		engine, err := containers.Open(t.Context(), right)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(right, engine.Endpoint()); diff != "" {
			t.Errorf("endpoint (-want +got):\n%s", diff)
		}
		if out, err := engine.Exec(t.Context(), "c", nil, "x"); err != nil || strings.TrimSpace(string(out)) != "unix:///right,," {
			t.Errorf("calls go to %q, %v", out, err)
		}
	})
	t.Run("a password that only the environment has is used", func(t *testing.T) {
		install(t, map[string]string{"podman": answer(`echo "$CONTAINER_HOST"`)})
		forget(t)
		t.Setenv("CONTAINER_HOST", "ssh://me:secret@host/s")
		engine, err := containers.Open(t.Context(), containers.Endpoint{Name: "podman", Variables: map[string]string{"CONTAINER_HOST": "ssh://me@host/s"}})
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := engine.Exec(t.Context(), "c", nil, "x"); !strings.Contains(string(out), "secret") {
			t.Errorf("calls go to %q", out)
		}
	})
	t.Run("where nothing answers, the environment is as before", func(t *testing.T) {
		install(t, map[string]string{"docker": place})
		forget(t)
		t.Setenv("DOCKER_CONTEXT", "mine")
		if _, err := containers.Open(t.Context(), containers.Endpoint{Name: "docker", Variables: map[string]string{"DOCKER_HOST": "unix:///gone"}}); err == nil || !strings.Contains(err.Error(), "unix:///gone") {
			t.Errorf("error is %v, want one that says what was tried", err)
		}
		if os.Getenv("DOCKER_HOST") != "" || os.Getenv("DOCKER_CONTEXT") != "mine" || os.Getenv(containers.ProviderVariable) != "" {
			t.Errorf("the environment has changed: %q, %q, %q", os.Getenv("DOCKER_HOST"), os.Getenv("DOCKER_CONTEXT"), os.Getenv(containers.ProviderVariable))
		}
	})
}

func TestContradicts(t *testing.T) {
	endpoint := containers.Endpoint{Name: "docker", Variables: map[string]string{"DOCKER_HOST": "unix:///right"}}
	for name, tc := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"an environment that says nothing":              {},
		"the same place":                                {env: map[string]string{"DOCKER_HOST": "unix:///right", containers.ProviderVariable: "docker"}},
		"another place":                                 {env: map[string]string{"DOCKER_HOST": "unix:///other"}, want: []string{"DOCKER_HOST=unix:///other"}},
		"another engine":                                {env: map[string]string{containers.ProviderVariable: "podman"}, want: []string{"KIND_EXPERIMENTAL_PROVIDER=podman"}},
		"what leads to engines nobody asked for is not": {env: map[string]string{"CONTAINER_HOST": "unix:///podman"}},
	} {
		t.Run(name, func(t *testing.T) {
			forget(t)
			t.Setenv(containers.ProviderVariable, "")
			for key, value := range tc.env {
				t.Setenv(key, value)
			}
			if diff := cmp.Diff(tc.want, endpoint.Contradicts()); diff != "" {
				t.Errorf("contradictions (-want +got):\n%s", diff)
			}
		})
	}
}
