package containers

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// ProxyVariables are the variables that say by which proxy a program reaches the outside, and what it reaches without.
var ProxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}

// Proxies are the proxies of new containers, by the names in ProxyVariables: those of this process or, if it has none, those in
// docker's configuration. The kind library gives them to its nodes by the same rule. The values may contain passwords.
func (e *Engine) Proxies(ctx context.Context) map[string]string {
	proxies := map[string]string{}
	for _, name := range ProxyVariables {
		for _, spelled := range []string{strings.ToLower(name), name} {
			if value := os.Getenv(spelled); value != "" {
				proxies[name] = value
			}
		}
	}
	if proxies["HTTP_PROXY"] != "" || proxies["HTTPS_PROXY"] != "" || e.name != Docker {
		return proxies
	}
	for name, value := range e.configuredProxies(ctx) {
		if value != "" && proxies[name] == "" {
			proxies[name] = value
		}
	}
	return proxies
}

// configuredProxies reads docker's own configuration. A file that cannot be read contains none, as for docker.
func (e *Engine) configuredProxies(ctx context.Context) map[string]string {
	dir := os.Getenv("DOCKER_CONFIG")
	if dir == "" {
		dir = filepath.Join(os.Getenv("HOME"), ".docker")
	}
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return nil
	}
	var file struct {
		CurrentContext string
		Proxies        map[string]struct{ HTTPProxy, HTTPSProxy, NoProxy string }
	}
	if json.Unmarshal(data, &file) != nil || len(file.Proxies) == 0 {
		return nil
	}
	chosen, found := file.Proxies[e.server(ctx, file.CurrentContext)]
	if !found {
		chosen = file.Proxies["default"]
	}
	return map[string]string{"HTTP_PROXY": chosen.HTTPProxy, "HTTPS_PROXY": chosen.HTTPSProxy, "NO_PROXY": chosen.NoProxy}
}

// server is the address of docker's daemon, "" if it is unknown.
func (e *Engine) server(ctx context.Context, current string) string {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return host
	}
	name := os.Getenv(dockerContext)
	if name == "" {
		name = current
	}
	if name == "" {
		name = "default"
	}
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, "context", "inspect", "--format", `{{ (index .Endpoints "docker").Host }}`, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
