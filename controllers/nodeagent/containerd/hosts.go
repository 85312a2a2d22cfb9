package containerd

import (
	"fmt"
	"path/filepath"
	"strings"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Hosts are the files that tell containerd where to look for the images of a registry: path to content. Containerd reads them
// with each pull, so nothing needs to be restarted.
func Hosts(cri *extensionsv1alpha1.CRIConfig) map[string]string {
	files := map[string]string{}
	if cri == nil || cri.Containerd == nil {
		return files
	}
	for _, registry := range cri.Containerd.Registries {
		files[filepath.Join(CertsDir, registry.Upstream, "hosts.toml")] = hosts(registry)
	}
	return files
}

// hosts is written by hand: the order of hosts is the order in which they are tried.
func hosts(registry extensionsv1alpha1.RegistryConfig) string {
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
