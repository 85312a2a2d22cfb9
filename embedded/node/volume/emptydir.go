package volume

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
)

// onDisk is the plugin for volumes of kind emptyDir, which are directories whatever medium they ask for: Mounter mounts no memory. The
// plugin has to know that. Otherwise it finds the memory not mounted each time, and sets up again what containers use: it makes
// files of Secrets, which are in such volumes, writable for the group of the pod.
type onDisk struct{ volume.VolumePlugin }

// NewMounter makes a mounter of a volume on the disk.
func (d onDisk) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	if v := spec.Volume; v != nil && v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory {
		on := *spec
		on.Volume = v.DeepCopy()
		on.Volume.EmptyDir.Medium = corev1.StorageMediumDefault
		spec = &on
	}
	return d.VolumePlugin.NewMounter(spec, pod)
}
