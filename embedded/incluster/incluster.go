// Package incluster gives a component in a pod its files and variables, and the configuration to reach the API server with the pod's
// own service account. It looks for the mounted files relative to the working directory, unlike the function of client-go. The
// working directory is the root of a container, or the directory of a process or task that an embedded node runs. The package makes
// no clients.
package incluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// Dir is where the service account is mounted, relative to the working directory.
const Dir = "var/run/secrets/kubernetes.io/serviceaccount"

// ErrNotInCluster means that this process does not run in a pod with a service account.
var ErrNotInCluster = errors.New("not in a pod with a service account")

// Surroundings are a component's directory and variables. The zero value is the working directory and the environment of the
// process. A component that is a task of an embedded node shares the process with other components, and so has Surroundings of its
// own.
type Surroundings struct {
	// Dir is the absolute directory that relative paths refer to.
	Dir string
	// Getenv reads a variable.
	Getenv func(name string) string
}

// File is the path of a file from the component's command line. An empty path stays empty.
func (s Surroundings) File(path string) string {
	if s.Dir == "" || path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Dir, path)
}

// Variable reads a variable of the component; empty if it is not set.
func (s Surroundings) Variable(name string) string {
	if s.Getenv == nil {
		return os.Getenv(name)
	}
	return s.Getenv(name)
}

// Config returns the configuration to reach the API server, and the pod's namespace. The token is read from its file
// again and again, so a rotated token is used. The error is ErrNotInCluster if files or variables are missing.
func (s Surroundings) Config() (*rest.Config, string, error) {
	dir, err := filepath.Abs(s.File(Dir))
	if err != nil {
		return nil, "", fmt.Errorf("find the working directory: %w", err)
	}
	return from(dir, s.Variable("KUBERNETES_SERVICE_HOST"), s.Variable("KUBERNETES_SERVICE_PORT"))
}

// Config is the configuration for a component that is its own process.
func Config() (*rest.Config, string, error) { return Surroundings{}.Config() }

func from(dir, host, port string) (*rest.Config, string, error) {
	if host == "" || port == "" {
		return nil, "", fmt.Errorf("%w: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set", ErrNotInCluster)
	}
	token, err := read(dir, "token")
	if err != nil {
		return nil, "", err
	}
	namespace, err := read(dir, "namespace")
	if err != nil {
		return nil, "", err
	}
	ca, err := read(dir, "ca.crt")
	if err != nil {
		return nil, "", err
	}
	return &rest.Config{
		Host:            "https://" + net.JoinHostPort(host, port),
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(ca)},
		BearerToken:     token,
		BearerTokenFile: filepath.Join(dir, "token"),
	}, strings.TrimSpace(namespace), nil
}

func read(dir, name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%w: %w", ErrNotInCluster, err)
	}
	if err != nil {
		return "", fmt.Errorf("read service account: %w", err)
	}
	return string(content), nil
}
