package volume

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"
)

// Plugins are those of the kubelet's own plugins whose volumes can be directories on this machine. PersistentVolumes must be in dir;
// if it is empty, none is mounted.
func Plugins(dir string) []volume.VolumePlugin {
	paths := hostpath.ProbeVolumePlugins(volume.VolumeConfig{})
	for i := range paths {
		paths[i] = confined{paths[i], dir}
	}
	return slices.Concat(
		emptydir.ProbeVolumePlugins(),
		paths,
		secret.ProbeVolumePlugins(),
		configmap.ProbeVolumePlugins(),
		downwardapi.ProbeVolumePlugins(),
		projected.ProbeVolumePlugins(),
	)
}

// confined is the plugin for directories of the machine. It takes every path from pods, because only pods of the
// landscape itself have volumes here. PersistentVolumes are made by anybody who administers the cluster, so they must lie
// in dir.
type confined struct {
	volume.VolumePlugin
	dir string
}

// NewMounter refuses PersistentVolumes outside of dir.
func (c confined) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	if pv := spec.PersistentVolume; pv != nil && pv.Spec.HostPath != nil {
		if c.dir == "" || lies(pv.Spec.HostPath.Path, c.dir) != nil {
			return nil, fmt.Errorf("PersistentVolume %s lies outside of the directories of volumes", pv.Name)
		}
	}
	return c.VolumePlugin.NewMounter(spec, pod)
}
