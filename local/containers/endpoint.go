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

// dockerContext names one of the places that docker's own configuration knows.
const dockerContext = "DOCKER_CONTEXT"

// Endpoint tells where an engine is reached, so that a later process finds the same one whatever its environment says. It
// holds no secrets: passwords in addresses are left out.
type Endpoint struct {
	// Name of the engine.
	Name string
	// Variables of the environment that tell its client where to look; all others of them were not set.
	Variables map[string]string
}

// String names the engine and what leads to it, for people.
func (e Endpoint) String() string {
	told := maps.Clone(e.Variables)
	maps.DeleteFunc(told, func(name, value string) bool { return name == dockerContext && value == "default" })
	if len(told) == 0 {
		return e.Name
	}
	return e.Name + " (" + strings.Join(settings(told), ", ") + ")"
}

// Contradicts tells which settings of this process's environment lead to another engine or place; nil means none.
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

// Open finds the engine at an endpoint. From then on the environment of this process leads there, since the kind library
// and the clients it runs know no other way to be told. When the engine does not answer, an ErrNoEngine, the environment is as
// before.
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

// setEnvironment makes the environment lead to the endpoint, and returns what takes it back.
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

// reached is where an engine was found that answered.
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

// environment are those of the variables that are set in this process, without passwords.
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
