package containers

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
)

// dockerContext selects one of the endpoints in docker's own configuration.
const dockerContext = "DOCKER_CONTEXT"

// Endpoint is the address of an engine. With it a later process finds the same engine, whatever the environment of that process is.
// It contains no secrets: passwords in addresses are left out.
type Endpoint struct {
	// Name of the engine.
	Name string
	// Variables are the environment variables that tell the client where its server is. Those that are missing were not
	// set.
	Variables map[string]string
}

// String describes the engine and its endpoint for users.
func (e Endpoint) String() string {
	told := maps.Clone(e.Variables)
	maps.DeleteFunc(told, func(name, value string) bool { return name == dockerContext && value == "default" })
	if len(told) == 0 {
		return e.Name
	}
	return e.Name + " (" + strings.Join(settings(told), ", ") + ")"
}

// Contradicts lists the settings of this process's environment that lead to another engine or endpoint; nil means
// none.
func (e Endpoint) Contradicts() []string {
	other := map[string]string{}
	if wanted := os.Getenv(ProviderVariable); wanted != "" && wanted != e.Name {
		other[ProviderVariable] = wanted
	}
	for name, value := range environment(variablesOf(e.Name)) {
		if value != e.Variables[name] {
			other[name] = value
		}
	}
	return settings(other)
}

// Open finds the engine at an endpoint. From then on the environment of this process leads to that engine, since the
// kind library and the clients it runs take their settings only from there. If the engine does not answer, Open
// returns an ErrNoEngine and restores the environment.
func Open(ctx context.Context, endpoint Endpoint) (*Engine, error) {
	restore := setEnvironment(endpoint)
	engine, err := Detect(ctx)
	if err != nil {
		restore()
		return nil, err
	}
	engine.endpoint = endpoint
	return engine, nil
}

// setEnvironment makes the environment lead to the endpoint. restore undoes this.
func setEnvironment(endpoint Endpoint) (restore func()) {
	want := map[string]string{ProviderVariable: endpoint.Name}
	have := environment(variablesOf(endpoint.Name))
	for _, name := range variablesOf(endpoint.Name) {
		if value := endpoint.Variables[name]; value == "" || value != have[name] { // a password may be in the same address
			want[name] = value
		}
	}
	before := map[string]string{}
	for name := range want {
		before[name] = os.Getenv(name)
	}
	set := func(values map[string]string) {
		for name, value := range values {
			if value == "" {
				_ = os.Unsetenv(name)
			} else {
				_ = os.Setenv(name, value) // fails for names and values that no environment has
			}
		}
	}
	set(want)
	return func() { set(before) }
}

// reached is the endpoint of an engine that answered.
func (e *Engine) reached(ctx context.Context, variables []string) Endpoint {
	endpoint := Endpoint{Name: e.name, Variables: environment(variables)}
	if e.name != Docker || endpoint.Variables["DOCKER_HOST"] != "" || endpoint.Variables[dockerContext] != "" {
		return endpoint
	}
	// "docker context use" may have chosen one in docker's configuration, and choose another one tomorrow
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, "context", "inspect", "--format", "{{.Name}}")
	if chosen := strings.TrimSpace(string(out)); err == nil && chosen != "" {
		endpoint.Variables[dockerContext] = chosen
	}
	return endpoint
}

// environment returns those variables that are set in this process, without passwords.
func environment(variables []string) map[string]string {
	set := map[string]string{}
	for _, name := range variables {
		if value := os.Getenv(name); value != "" {
			set[name] = withoutPassword(value)
		}
	}
	return set
}

func withoutPassword(value string) string {
	address, err := url.Parse(value)
	if err != nil || address.User == nil {
		return value
	}
	if _, has := address.User.Password(); !has {
		return value
	}
	address.User = url.User(address.User.Username())
	return address.String()
}

func variablesOf(engine string) []string {
	for _, k := range known {
		if k.name == engine {
			return k.variables
		}
	}
	return nil
}

func settings(variables map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		list = append(list, fmt.Sprintf("%s=%s", name, variables[name]))
	}
	return list
}
