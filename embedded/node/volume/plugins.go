package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"

	"github.com/gardener-up/gardener-up/embedded/node/within"
)

// Directories are where volumes of the plugin for directories of the machine lie.
type Directories struct {
	// Volumes has PersistentVolumes; if it is empty, none is mounted.
	Volumes string
	// Shared has PersistentVolumes of shoots, as package sharedvolume tells. Others are then directories below HostPaths.
	Shared string
	// HostPaths has what pods of users take for the file system of the machine.
	HostPaths string
}

// Plugins are those of the kubelet's own plugins whose volumes can be directories on this machine.
func Plugins(dirs Directories) []volume.VolumePlugin {
	paths := hostpath.ProbeVolumePlugins(volume.VolumeConfig{})
	for i := range paths {
		paths[i] = confined{paths[i], dirs}
	}
	empty := emptydir.ProbeVolumePlugins()
	for i := range empty {
		empty[i] = onDisk{empty[i]}
	}
	return slices.Concat(
		empty,
		paths,
		secret.ProbeVolumePlugins(),
		configmap.ProbeVolumePlugins(),
		downwardapi.ProbeVolumePlugins(),
		projected.ProbeVolumePlugins(),
	)
}

// confined is the plugin for directories of the machine. Pods of users have theirs below dirs.HostPaths, and links in it lead nowhere else.
// Other paths are those of pods of the landscape itself. PersistentVolumes are made by anybody who administers the cluster. Those of a seed
// must lie in dirs.Volumes; those of a shoot are in dirs.Shared, or below dirs.HostPaths.
type confined struct {
	volume.VolumePlugin
	dirs Directories
}

// NewMounter refuses PersistentVolumes outside of their directory.
func (c confined) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	if pv := spec.PersistentVolume; pv != nil && pv.Spec.HostPath != nil {
		if c.dirs.Shared != "" {
			return c.ofShoot(spec, pod)
		}
		if c.dirs.Volumes == "" || lies(pv.Spec.HostPath.Path, c.dirs.Volumes) != nil {
			return nil, fmt.Errorf("PersistentVolume %s lies outside of the directories of volumes", pv.Name)
		}
	}
	mounter, err := c.VolumePlugin.NewMounter(spec, pod)
	if v := spec.Volume; err == nil && v != nil && v.HostPath != nil && within.Contains(c.dirs.HostPaths, v.HostPath.Path) {
		return newOfNode(mounter, v.HostPath, c.dirs.HostPaths)
	}
	return mounter, err
}

// lies is an error unless a path is in base. Only its first part may exist.
func lies(path, base string) error {
	existing := filepath.Clean(path)
	for existing != base && existing != filepath.Dir(existing) {
		if _, err := os.Lstat(existing); err == nil {
			break
		}
		existing = filepath.Dir(existing)
	}
	_, err := within.Resolve(existing, base)
	return err
}
