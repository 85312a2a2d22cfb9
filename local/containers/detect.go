package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ProviderVariable is the environment variable with which users of kind choose an engine. This package obeys it as
// well, since both have to use the same engine.
const ProviderVariable = "KIND_EXPERIMENTAL_PROVIDER"

// known engines, in the order in which they are tried: how to ask for the version, the fix if the engine does not
// answer, and the environment variables that tell its client where the server is.
var known = []struct {
	name, version, cure string
	variables           []string
}{
	{Docker, "{{.ServerVersion}}", "start the daemon (for instance: systemctl start docker) and let this user reach it (group docker, or DOCKER_HOST)",
		[]string{"DOCKER_HOST", dockerContext, "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"}},
	{Nerdctl, "{{.ServerVersion}}", "start containerd, as root or with containerd-rootless-setuptool.sh install",
		[]string{"CONTAINERD_ADDRESS", "CONTAINERD_NAMESPACE", "CONTAINERD_SNAPSHOTTER", "NERDCTL_TOML", "CNI_PATH", "NETCONFPATH"}},
	{Podman, "{{.Version.Version}}", "check that \"podman info\" works (podman machine start where podman is remote)",
		[]string{"CONTAINER_HOST", "CONTAINER_CONNECTION", "CONTAINER_SSHKEY", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"}},
}

// ErrNoEngine is part of every error of Detect.
var ErrNoEngine = errors.New("no container engine answers")

// Detect finds the engine to use: the one in KIND_EXPERIMENTAL_PROVIDER, or the first of docker, nerdctl and podman
// that answers. The error, an ErrNoEngine, lists what was tried for each engine and how to fix it.
func Detect(ctx context.Context) (*Engine, error) {
	wanted := os.Getenv(ProviderVariable)
	var tried []error
	for _, k := range known {
		if wanted != "" && k.name != wanted {
			continue
		}
		engine, err := ask(ctx, k.name, k.version)
		if err == nil {
			engine.endpoint = engine.reached(ctx, k.variables)
			return engine, nil
		}
		tried = append(tried, fmt.Errorf("%s: %w; %s", k.name, err, cureFor(err, k.name, k.cure)))
	}
	if len(tried) == 0 {
		return nil, fmt.Errorf("%w: %s=%s names none of %s", ErrNoEngine, ProviderVariable, wanted, strings.Join(names(), ", "))
	}
	return nil, fmt.Errorf("%w:\n%w", ErrNoEngine, errors.Join(tried...))
}

// ask checks whether an engine is installed and answers.
func ask(ctx context.Context, name, format string) (*Engine, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	engine := newEngine(name, path)
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	out, err := engine.run(ctx, nil, "info", "--format", format)
	if err != nil {
		return nil, err
	}
	// docker's client answers without its server, with an empty version
	if engine.version = strings.TrimSpace(string(out)); engine.version == "" {
		return nil, errors.New("the client answers, but its server does not")
	}
	if name == Nerdctl { // whose server is containerd, with versions of its own
		if out, err = engine.run(ctx, nil, "version", "--format", "{{.Client.Version}}"); err != nil {
			return nil, err
		}
		engine.containerd, engine.version = engine.version, strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
	}
	return engine, nil
}

func cureFor(err error, name, cure string) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "install " + name
	}
	return cure
}

func names() []string {
	var out []string
	for _, k := range known {
		out = append(out, k.name)
	}
	slices.Sort(out)
	return out
}
