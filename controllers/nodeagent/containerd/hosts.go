package containerd

import (
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/extensions"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Hosts returns the files, by path, that tell containerd where to find the images of a registry. Containerd reads them
// at each pull, so nothing has to be restarted.
func Hosts(cri *extensionsv1alpha1.CRIConfig) map[string]string {
	files := map[string]string{}
	if cri == nil || cri.Containerd == nil {
		return files
	}
	for _, registry := range cri.Containerd.Registries {
		files[helper.HostsPath(registry)] = helper.HostsFile(registry)
	}
	return files
}
