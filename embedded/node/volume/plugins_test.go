package volume

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
)

// anything is a plugin that takes every volume.
type anything struct{ volume.VolumePlugin }

func (anything) NewMounter(*volume.Spec, *corev1.Pod) (volume.Mounter, error) { return nil, nil }

func TestPersistentVolumesStayInTheirDirectory(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	pv := func(path string) *volume.Spec {
		return &volume.Spec{PersistentVolume: &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path}},
		}}}
	}
	for name, tc := range map[string]struct {
		dir     string
		spec    *volume.Spec
		refused bool
	}{
		"a new volume of the provisioner":          {dir: dir, spec: pv(filepath.Join(dir, "shoot--a--b", "claim"))},
		"APP-19 a directory elsewhere":             {dir: dir, spec: pv(outside), refused: true},
		"APP-19 a new directory elsewhere":         {dir: dir, spec: pv(filepath.Join(outside, "new")), refused: true},
		"APP-19 a way out":                         {dir: dir, spec: pv(dir + "/../" + filepath.Base(outside)), refused: true},
		"APP-19 a link that leads out":             {dir: dir, spec: pv(filepath.Join(dir, "link", "new")), refused: true},
		"APP-19 the whole machine":                 {dir: dir, spec: pv("/"), refused: true},
		"APP-19 a node without volumes takes none": {spec: pv(dir), refused: true},
		"a path that a signed pod names itself":    {dir: dir, spec: &volume.Spec{Volume: &corev1.Volume{VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: outside}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := confined{anything{}, tc.dir}.NewMounter(tc.spec, &corev1.Pod{})
			if tc.refused != (err != nil && strings.Contains(err.Error(), "lies outside of the directories of volumes")) {
				t.Errorf("got %v", err)
			}
		})
	}
}
