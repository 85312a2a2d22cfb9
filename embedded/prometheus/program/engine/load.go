package engine

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/prometheus/config"
)

// variables are those by which Kubernetes tells a pod where the API server is. Their names stand for them in a configuration as they do in the
// arguments of a container.
var variables = []string{"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}

// load reads a configuration. Paths are relative to it.
func load(file string, log *slog.Logger) (*config.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var pairs []string
	for _, name := range variables {
		pairs = append(pairs, "$("+name+")", os.Getenv(name))
	}
	loaded, err := config.Load(strings.NewReplacer(pairs...).Replace(string(text)), log)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	loaded.SetDirectory(filepath.Dir(file))
	return loaded, nil
}
