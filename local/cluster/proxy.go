package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/local/containers"
)

// proxyFile gives the container runtime of the node the address of a proxy that contains a login. Other programs of the node get the
// address without the login.
const (
	proxyDir  = "/etc/systemd/system/containerd.service.d"
	proxyFile = proxyDir + "/gardener-proxy.conf"
)

// proxyScript replaces the file and restarts the runtime, unless the file is the same. Containers survive the restart.
const proxyScript = `set -e
umask 077
mkdir -p ` + proxyDir + `
cat >` + proxyFile + `.new
if cmp -s ` + proxyFile + `.new ` + proxyFile + `; then rm ` + proxyFile + `.new; exit; fi
mv ` + proxyFile + `.new ` + proxyFile + `
systemctl daemon-reload
systemctl restart containerd`

// withoutLogins returns the environment for a process that calls the kind library. The library writes addresses of proxies on the
// command line of the engine, which all users of the machine see, so the environment has them without user and password. It
// does not change if no address has a login.
func withoutLogins(environment []string, proxies map[string]string) []string {
	if len(logins(proxies)) == 0 {
		return environment
	}
	out := slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(containers.ProxyVariables, strings.ToUpper(name))
	})
	for _, name := range containers.ProxyVariables {
		if value := proxies[name]; value != "" {
			out = append(out, name+"="+withoutLogin(value))
		}
	}
	return out
}

// logins are the proxies whose address contains a login.
func logins(proxies map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range proxies {
		if withoutLogin(value) != value {
			out[name] = value
		}
	}
	return out
}

// withoutLogin cuts a user and a password, also out of addresses that are not valid.
func withoutLogin(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	return scheme + rest[strings.LastIndex(rest, "@")+1:]
}

// pullFirst pulls the image of the node by the proxies of this process, since the process that calls the kind library lacks the logins.
func (c *Cluster) pullFirst(ctx context.Context, image string, proxies map[string]string) error {
	if len(logins(proxies)) == 0 {
		return nil
	}
	exists, err := c.engine.Images.Exists(ctx, image)
	if err != nil || exists {
		return err
	}
	return c.engine.Images.Pull(ctx, image)
}

// passLogins gives the container runtime of each node the addresses of proxies with their logins, in a file. It does nothing if no address
// has a login: the nodes keep what they were made with.
func (c *Cluster) passLogins(ctx context.Context, proxies map[string]string) error {
	found := logins(proxies)
	if len(found) == 0 {
		return nil
	}
	file := &strings.Builder{}
	file.WriteString("[Service]\n")
	for _, name := range containers.ProxyVariables {
		if value := found[name]; value != "" {
			if strings.ContainsAny(value, "\r\n") {
				return errors.New(name + " has several lines")
			}
			fmt.Fprintf(file, "Environment=\"%s=%s\"\n", name, escape.Replace(value))
		}
	}
	nodes, err := c.containers(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if _, err := c.engine.Exec(ctx, node.Name, strings.NewReader(file.String()), "sh", "-c", proxyScript); err != nil {
			return fmt.Errorf("tell node %s of kind cluster %s the proxy: %w", node.Name, c.config.Name, err)
		}
	}
	return nil
}

// escape keeps systemd from interpreting a value.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`)
