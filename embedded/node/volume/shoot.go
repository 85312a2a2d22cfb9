package volume

import (
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"

	"github.com/gardener-up/gardener-up/embedded/node/sharedvolume"
)

// ofShoot mounts a PersistentVolume of a shoot: one that was provisioned, or a directory of the node.
func (c confined) ofShoot(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	at := spec.PersistentVolume.Spec.HostPath
	shared, provisioned := sharedvolume.Name(at.Path)
	machine := filepath.Join(c.dirs.HostPaths, filepath.Clean("/"+at.Path))
	if provisioned {
		machine = filepath.Join(c.dirs.Shared, shared)
	}
	moved := *spec
	moved.PersistentVolume = spec.PersistentVolume.DeepCopy()
	moved.PersistentVolume.Spec.HostPath = &corev1.HostPathVolumeSource{Path: machine, Type: at.Type}
	mounter, err := c.VolumePlugin.NewMounter(&moved, pod)
	if err != nil || provisioned {
		return provisionedVolume{mounter, machine, shared}, err
	}
	return newOfNode(mounter, moved.PersistentVolume.Spec.HostPath, c.dirs.HostPaths)
}

// provisionedVolume is a directory that the provisioner has made.
type provisionedVolume struct {
	volume.Mounter
	dir, name string
}

// SetUp makes nothing: a volume whose data are lost must not look empty.
func (v provisionedVolume) SetUp(volume.MounterArgs) error {
	info, err := os.Lstat(v.dir)
	if err == nil && info.IsDir() {
		return nil
	}
	return fmt.Errorf("volume %s does not exist on this machine", v.name)
}
