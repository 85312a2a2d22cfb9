package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/extensions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/registrycache"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// mark begins the host files of the provider. The webhook removes those that are not wanted any more: the gardenlet does not know them, so
// they stay in the object when it writes the object again.
const mark = "# Written by the provider " + api.Type + ".\n"

// mirrors are the files that tell containerd where to look for images first: caches in the Shoot, then the mirrors
// of the CloudProfile. Machines do not learn of caches while they boot. They cannot reach caches before kube-proxy
// runs, and kube-proxy's image may have to be pulled.
func (c Contents) mirrors(ctx context.Context, cluster *contract.Cluster, osc *extensionsv1alpha1.OperatingSystemConfig) ([]extensionsv1alpha1.File, error) {
	var all []extensionsv1alpha1.RegistryConfig
	if osc.Spec.Purpose == extensionsv1alpha1.OperatingSystemConfigPurposeReconcile {
		caches, err := registrycache.Mirrors(ctx, c.Reader, osc.Namespace)
		if err != nil {
			return nil, err
		}
		all = caches
	}
	profile, err := profileMirrors(cluster)
	if err != nil {
		return nil, err
	}
	return hostsFiles(merge(all, profile)), nil
}

// profileMirrors are the mirrors in the CloudProfile.
func profileMirrors(cluster *contract.Cluster) ([]extensionsv1alpha1.RegistryConfig, error) {
	if cluster == nil || cluster.CloudProfile == nil {
		return nil, nil
	}
	config := api.CloudProfileConfig{}
	if err := api.Decode(cluster.CloudProfile.Spec.ProviderConfig, &config); err != nil {
		return nil, contract.Permanent(fmt.Errorf("read providerConfig of the CloudProfile: %w", err), gardencorev1beta1.ErrorConfigurationProblem)
	}
	for i, mirror := range config.RegistryMirrors {
		if mirror.Upstream == "" || len(mirror.Hosts) == 0 {
			err := fmt.Errorf("providerConfig of the CloudProfile: registryMirrors[%d] needs upstream and hosts", i)
			return nil, contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
		}
	}
	return config.RegistryMirrors, nil
}

// merge joins the mirrors of the same registry. The hosts of first are tried first.
func merge(first, second []extensionsv1alpha1.RegistryConfig) []extensionsv1alpha1.RegistryConfig {
	out := slices.Clone(first)
	for _, registry := range second {
		i := slices.IndexFunc(out, func(r extensionsv1alpha1.RegistryConfig) bool { return r.Upstream == registry.Upstream })
		if i < 0 {
			out = append(out, registry)
			continue
		}
		out[i].Hosts = slices.Concat(out[i].Hosts, registry.Hosts)
		if out[i].Server == nil {
			out[i].Server = registry.Server
		}
	}
	return out
}

func hostsFiles(registries []extensionsv1alpha1.RegistryConfig) []extensionsv1alpha1.File {
	var out []extensionsv1alpha1.File
	for _, registry := range registries {
		out = append(out, text(helper.HostsPath(registry), mark+helper.HostsFile(registry)))
	}
	return out
}

// former reports whether the provider has written the host file.
func former(file extensionsv1alpha1.File) bool {
	inline := file.Content.Inline
	return inline != nil && strings.HasPrefix(file.Path, helper.CertsDir+"/") && strings.HasPrefix(inline.Data, mark)
}

func text(path, content string) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{
		Path: path, Permissions: ptr.To[uint32](0o644),
		Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}},
	}
}
