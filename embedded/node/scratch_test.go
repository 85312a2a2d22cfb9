package node

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
)

func TestScratch(t *testing.T) {
	t.Run("APP-11 gVisor keeps volumes in memory that ask for it", func(t *testing.T) {
		c := Config{RootDir: t.TempDir()}
		memory := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}
		pod := &corev1.Pod{Spec: corev1.PodSpec{
			Volumes: []corev1.Volume{
				{Name: "disk", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: "memory", VolumeSource: memory}, {Name: "part", VolumeSource: memory}, {Name: "init", VolumeSource: memory},
			},
			InitContainers: []corev1.Container{{VolumeMounts: []corev1.VolumeMount{{Name: "init", SubPathExpr: "$(A)"}, {Name: "memory"}}}},
			Containers:     []corev1.Container{{VolumeMounts: []corev1.VolumeMount{{Name: "part", SubPath: "a"}, {Name: "memory"}}}},
		}}
		if got, err := c.scratch("uid", pod); err != nil || len(got) > 0 {
			t.Errorf("a pod without volumes has %v (%v)", got, err)
		}
		dir := filepath.Join(c.RootDir, "pods/uid/volumes/kubernetes.io~empty-dir")
		var names []string
		for _, volume := range pod.Spec.Volumes {
			names = append(names, filepath.Join(dir, volume.Name))
			if err := os.MkdirAll(filepath.Join(dir, volume.Name), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{".gvisor.filestore.former", "file"} {
				if err := os.WriteFile(filepath.Join(dir, volume.Name, file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Sort(names)
		want := []string{filepath.Join(dir, "memory")}
		if !ids.All() {
			want = names
		}
		if got, err := c.scratch("uid", pod); err != nil || !slices.Equal(got, want) {
			t.Errorf("gVisor keeps %v (%v), want %v", got, err, want)
		}
		for _, volume := range names {
			left, err := filepath.Glob(filepath.Join(volume, "*")) // with hidden files
			if kept := slices.Contains(want, volume); err != nil || kept != (len(left) == 2) {
				t.Errorf("volume %s, kept by gVisor: %t, has %v (%v)", volume, kept, left, err)
			}
		}
	})
}
