// Package extensions helps with the types of the group extensions: what several readers of them must understand alike.
package extensions

import (
	"fmt"
	"path"
	"strings"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// CertsDir of a machine has a directory per registry, with a file hosts.toml. What users put there is theirs.
const CertsDir = "/etc/containerd/certs.d"

// HostsPath is the file about a registry, HostsFile its content.
func HostsPath(registry extensionsv1alpha1.RegistryConfig) string {
	return path.Join(CertsDir, registry.Upstream, "hosts.toml")
}

// HostsFile tells containerd where to look for the images of a registry. It is written by hand: the order of hosts is the
// order in which they are tried.
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
