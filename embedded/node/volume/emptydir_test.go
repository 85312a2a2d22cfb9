package volume

import (
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	volumetest "k8s.io/kubernetes/pkg/volume/testing"
	"k8s.io/mount-utils"
)

// memory is the volume that the kubelet makes for each Secret, with the same names.
func memory() *volume.Spec {
	return &volume.Spec{Volume: &corev1.Volume{Name: "secret", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}}}
}

// host mounts as the kubelet does.
type host struct{ volume.VolumeHost }

func (host) GetMounter() mount.Interface { return Mounter{} }

func TestEmptyDirsAreSetUpOnce(t *testing.T) {
	t.Run("APP-11 what is in a volume keeps its mode when the volume is set up again", func(t *testing.T) {
		plugin := onDisk{emptydir.ProbeVolumePlugins()[0]}
		if err := plugin.Init(host{volumetest.NewFakeVolumeHost(t, t.TempDir(), nil, nil)}); err != nil {
			t.Fatal(err)
		}
		spec, group := memory(), int64(os.Getgid())
		dir := filepath.Join(t.TempDir(), "secret")
		file := filepath.Join(dir, "key")
		for _, made := range []bool{false, true} {
			mounter, err := plugin.NewMounter(spec, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "uid"}})
			if err == nil {
				err = mounter.SetUpAt(dir, volume.MounterArgs{FsGroup: &group})
			}
			if err == nil && !made {
				err = os.WriteFile(file, nil, 0o440)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o440 {
			t.Errorf("a file of a volume has the mode %v after the second time", info.Mode())
		}
		if spec.Volume.EmptyDir.Medium != corev1.StorageMediumMemory {
			t.Error("the volume of the pod is changed")
		}
	})
}
