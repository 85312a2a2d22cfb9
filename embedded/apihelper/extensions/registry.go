// Package extensions holds what all readers of the types of extensions.gardener.cloud must interpret in the same way.
package extensions

import (
	"fmt"
	"path"
	"strings"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// CertsDir is the directory of a machine with one directory per registry, each with a file hosts.toml. Other content
// belongs to users.
const CertsDir = "/etc/containerd/certs.d"

// HostsPath returns the path of the hosts.toml of a registry. HostsFile returns its content.
func HostsPath(registry extensionsv1alpha1.RegistryConfig) string {
	return path.Join(CertsDir, registry.Upstream, "hosts.toml")
}

// HostsFile returns the hosts.toml that tells containerd where to pull the images of a registry. It is written without a
// TOML library, because containerd tries hosts in the order of the file.
func HostsFile(registry extensionsv1alpha1.RegistryConfig) string {
	var out strings.Builder
	if registry.Server != nil {
		fmt.Fprintf(&out, "server = %q\n", *registry.Server)
	}
	for _, host := range registry.Hosts {
		capabilities := host.Capabilities
		if len(capabilities) == 0 {
			capabilities = []extensionsv1alpha1.RegistryCapability{extensionsv1alpha1.PullCapability, extensionsv1alpha1.ResolveCapability}
		}
		fmt.Fprintf(&out, "\n[host.%q]\n  capabilities = [%s]\n", host.URL, quoted(capabilities))
		if len(host.CACerts) > 0 {
			fmt.Fprintf(&out, "  ca = [%s]\n", quoted(host.CACerts))
		}
		if host.OverridePath != nil {
			fmt.Fprintf(&out, "  override_path = %t\n", *host.OverridePath)
		}
	}
	return out.String()
}

func quoted[T ~string](values []T) string {
	var out []string
	for _, value := range values {
		out = append(out, fmt.Sprintf("%q", string(value)))
	}
	return strings.Join(out, ", ")
}
