package volume

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"

	"github.com/gardener-up/gardener-up/embedded/node/sharedvolume"
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
			_, err := confined{anything{}, Directories{Volumes: tc.dir}}.NewMounter(tc.spec, &corev1.Pod{})
			if tc.refused != (err != nil && strings.Contains(err.Error(), "lies outside of the directories of volumes")) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestHostPathsOfPodsStayInTheNode(t *testing.T) {
	machine := t.TempDir()
	hostPaths, secret := filepath.Join(machine, "hostpaths"), filepath.Join(machine, "secret")
	if err := errors.Join(os.Mkdir(secret, 0o700), os.Mkdir(hostPaths, 0o700), os.Mkdir(filepath.Join(hostPaths, "own"), 0o700),
		os.Symlink(secret, filepath.Join(hostPaths, "absolute")), os.Symlink("../secret", filepath.Join(hostPaths, "relative")),
		os.Symlink("own", filepath.Join(hostPaths, "inside")), unix.Mkfifo(filepath.Join(hostPaths, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path  string
		kind  corev1.HostPathType
		makes string // empty if it is refused
	}{
		"the whole node":                                   {"", corev1.HostPathDirectoryOrCreate, "."},
		"a new directory":                                  {"var/log", corev1.HostPathDirectoryOrCreate, "var/log"},
		"a new file":                                       {"etc/config", corev1.HostPathFileOrCreate, "etc/config"},
		"a directory behind a link in the node":            {"inside/new", corev1.HostPathDirectoryOrCreate, "own/new"},
		"APP-14 a link to a directory of the machine":      {"absolute", corev1.HostPathDirectoryOrCreate, ""},
		"APP-14 a new directory of the machine":            {"absolute/new", corev1.HostPathDirectoryOrCreate, ""},
		"APP-14 a new file of the machine":                 {"relative/new", corev1.HostPathFileOrCreate, ""},
		"APP-14 a pipe, whose other end nobody ever opens": {"pipe", corev1.HostPathFileOrCreate, ""},
	} {
		t.Run(name, func(t *testing.T) {
			source := &corev1.HostPathVolumeSource{Path: filepath.Join(hostPaths, tc.path), Type: &tc.kind}
			spec := &volume.Spec{Volume: &corev1.Volume{VolumeSource: corev1.VolumeSource{HostPath: source}}}
			mounter, err := confined{anything{}, Directories{HostPaths: hostPaths}}.NewMounter(spec, &corev1.Pod{})
			if err != nil {
				t.Fatal(err)
			}
			err = mounter.SetUp(volume.MounterArgs{})
			if (err == nil) != (tc.makes != "") {
				t.Errorf("got %v", err)
			}
			if _, missing := os.Stat(filepath.Join(hostPaths, tc.makes)); missing != nil {
				t.Error(missing)
			}
			if left, err := os.ReadDir(secret); err != nil || len(left) > 0 {
				t.Errorf("made on the machine: %v (%v)", left, err)
			}
		})
	}
}

func TestVolumesOfShoots(t *testing.T) {
	node := t.TempDir()
	dirs := Directories{Shared: filepath.Join(node, "shared"), HostPaths: filepath.Join(node, "hostpaths")}
	if err := errors.Join(os.MkdirAll(filepath.Join(dirs.Shared, "pvc-1"), 0o700), os.Symlink(node, filepath.Join(dirs.Shared, "pvc-2"))); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ path, makes string }{
		"APP-16 a volume of the provisioner":              {sharedvolume.Path("pvc-1"), "shared/pvc-1"},
		"APP-16 a directory of the node":                  {"/mnt/data", "hostpaths/mnt/data"},
		"APP-19 the directory of all volumes is another":  {sharedvolume.Path(""), "hostpaths/var/lib/shoot-volumes"},
		"APP-19 what is in a volume is not mounted alone": {sharedvolume.Path("pvc-1") + "/deep", "hostpaths/var/lib/shoot-volumes/pvc-1/deep"},
		"APP-16 lost data do not look like an empty one":  {sharedvolume.Path("pvc-3"), ""},
		"APP-14 a link is no volume":                      {sharedvolume.Path("pvc-2"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := &asks{}
			spec := &volume.Spec{PersistentVolume: &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: tc.path}},
			}}}
			mounter, err := confined{asked, dirs}.NewMounter(spec, &corev1.Pod{})
			if err != nil {
				t.Fatal(err)
			}
			if err := mounter.SetUp(volume.MounterArgs{}); (err == nil) != (tc.makes != "") {
				t.Errorf("got %v", err)
			}
			if info, err := os.Stat(filepath.Join(node, tc.makes)); tc.makes != "" && (asked.path != filepath.Join(node, tc.makes) || err != nil || !info.IsDir()) {
				t.Errorf("%s is mounted: %v", asked.path, err)
			}
			if spec.PersistentVolume.Spec.HostPath.Path != tc.path {
				t.Error("the object of the cache was changed")
			}
		})
	}
}

// asks notes what it is asked to mount.
type asks struct {
	volume.VolumePlugin
	path string
}

func (a *asks) NewMounter(spec *volume.Spec, _ *corev1.Pod) (volume.Mounter, error) {
	a.path = spec.PersistentVolume.Spec.HostPath.Path
	return nil, nil
}
