package containers

import (
	"context"
	"strings"
)

// Engine is a container engine that answered once. It is safe for concurrent use.
type Engine struct {
	client
	// Images and Networks are those of the engine.
	Images   Images
	Networks Networks

	version, containerd string
	endpoint            Endpoint
}

func newEngine(name, path string) *Engine {
	c := client{name: name, path: path}
	return &Engine{client: c, Images: Images{c}, Networks: Networks{c}}
}

// Name is docker, nerdctl or podman.
func (e *Engine) Name() string { return e.name }

// Version is the version of the engine's server; of nerdctl itself, whose server is containerd.
func (e *Engine) Version() string { return e.version }

// Containerd is the version of the containerd behind nerdctl; empty for other engines.
func (e *Engine) Containerd() string { return e.containerd }

// Endpoint is where the engine is reached.
func (e *Engine) Endpoint() Endpoint { return e.endpoint }

// Info queries the engine with a template in the engine's own template language, as in "docker info --format".
func (e *Engine) Info(ctx context.Context, format string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, "info", "--format", format)
	return strings.TrimSpace(string(out)), err
}
