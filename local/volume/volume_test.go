package volume

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func claim(uid types.UID) *corev1.PersistentVolumeClaim {
	class := ClassName
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: uid},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: &class},
	}
}

func TestWanting(t *testing.T) {
	other, now := "other", metav1.Now()
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolumeClaim)
		want   bool
	}{
		"a new claim of the class":    {func(*corev1.PersistentVolumeClaim) {}, true},
		"a claim that has its volume": {func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv" }, false},
		"a claim of another class":    {func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = &other }, false},
		"a claim without a class":     {func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = nil }, false},
		"APP-16 a claim of a class that users derived": {func(c *corev1.PersistentVolumeClaim) {
			c.Spec.StorageClassName, c.Annotations = &other, map[string]string{"volume.kubernetes.io/storage-provisioner": "local.gardener.cloud/hostpath"}
		}, true},
		"a claim that is being deleted": {func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &now }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := claim("1")
			tc.change(c)
			if got := wanting(c); got != tc.want {
				t.Errorf("wanting is %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	for name, p := range map[string]places{"of a seed": {dir: "/volumes"}, "APP-16 of a shoot": {dir: "/volumes", shoot: true}} {
		t.Run(name, func(t *testing.T) {
			first, path := p.of(claim("11111111-1"))
			second, other := p.of(claim("22222222-2"))
			if first == second || path == other {
				t.Errorf("a new claim of the same name would see old data in %s", path)
			}
			if found, ok := p.find(first); !ok || found != path {
				t.Errorf("%s is found at %q, %t", first, found, ok)
			}
			for _, outside := range []string{"/volumes", "/volumes/../etc", "/etc", "/", ""} {
				if found, ok := p.find(outside); ok {
					t.Errorf("%s is found at %q", outside, found)
				}
			}
		})
	}
	if shown, _ := (places{dir: "/home/someone/volumes", shoot: true}).of(claim("1")); strings.Contains(shown, "someone") {
		t.Errorf("APP-19 a shoot shows where the landscape is: %s", shown)
	}
}

func TestMakeAndRemove(t *testing.T) {
	dir, machine := filepath.Join(t.TempDir(), "volumes", "shoot"), t.TempDir()
	p := places{dir: dir, shoot: true}
	_, path := p.of(claim("1"))
	for range 2 {
		if err := p.make(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, path)); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("APP-16 containers of any user must be able to write: %v, %v", info, err)
	}
	closed, fixed := filepath.Join(dir, path, "closed"), filepath.Join(dir, path, "fixed")
	if err := errors.Join(os.MkdirAll(filepath.Join(closed, "deep", "deeper"), 0o700), os.Chmod(filepath.Join(closed, "deep"), 0), os.Chmod(closed, 0),
		os.MkdirAll(filepath.Join(fixed, "full"), 0o700), os.Chmod(fixed, 0o555),
		os.WriteFile(filepath.Join(machine, "file"), nil, 0o600), os.Symlink(machine, filepath.Join(dir, path, "link")), os.Symlink(machine, filepath.Join(dir, "pvc-2"))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.remove(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.make("pvc-2/new"); err == nil {
		t.Error("APP-14 a volume was made behind a link that leads out")
	}
	for range 2 {
		if err := RemoveShoot(t.Context(), filepath.Dir(dir), "shoot"); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 0 {
		t.Errorf("left of the shoot: %v, %v", left, err)
	}
	if left, err := os.ReadDir(machine); err != nil || len(left) != 1 {
		t.Errorf("APP-14 left on the machine: %v, %v", left, err)
	}
}

func TestUnsupported(t *testing.T) {
	block, file := corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolumeClaimSpec)
		says   string
	}{
		"a directory":    {func(s *corev1.PersistentVolumeClaimSpec) { s.VolumeMode = &file }, ""},
		"a block device": {func(s *corev1.PersistentVolumeClaimSpec) { s.VolumeMode = &block }, "volumeMode Filesystem"},
		"a copy":         {func(s *corev1.PersistentVolumeClaimSpec) { s.DataSource = &corev1.TypedLocalObjectReference{} }, "dataSource"},
		"a selection":    {func(s *corev1.PersistentVolumeClaimSpec) { s.Selector = &metav1.LabelSelector{} }, "selector"},
	} {
		t.Run("APP-16 "+name, func(t *testing.T) {
			c := claim("1")
			tc.change(&c.Spec)
			if said := unsupported(c); (said == "") != (tc.says == "") || !strings.Contains(said, tc.says) {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestReclaimable(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolume)
		want   bool
	}{
		"a released volume of ours": {func(*corev1.PersistentVolume) {}, true},
		"a volume in use":           {func(pv *corev1.PersistentVolume) { pv.Status.Phase = corev1.VolumeBound }, false},
		"a volume of somebody else": {func(pv *corev1.PersistentVolume) { pv.Annotations = nil }, false},
		"a volume to be kept": {func(pv *corev1.PersistentVolume) {
			pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}, false},
		"a volume that leads out of ours":  {func(pv *corev1.PersistentVolume) { pv.Spec.HostPath.Path = "/volumes/../etc" }, false},
		"a volume that is all the volumes": {func(pv *corev1.PersistentVolume) { pv.Spec.HostPath.Path = "/volumes" }, false},
	} {
		for where, p := range map[string]places{"": {dir: "/volumes"}, ", of a shoot": {dir: "/volumes", shoot: true}} {
			t.Run(name+where, func(t *testing.T) {
				path, _ := p.of(claim("1"))
				pv := persistentVolume(claim("1"), path, corev1.PersistentVolumeReclaimDelete)
				pv.Status.Phase = corev1.VolumeReleased
				tc.change(pv)
				if _, got := (&reclaimer{places: p}).reclaimable(pv); got != tc.want {
					t.Errorf("reclaimable is %v, want %v", got, tc.want)
				}
			})
		}
	}
	t.Run("APP-16 a volume that a user wrote for the data of another one", func(t *testing.T) {
		p := places{dir: "/volumes", shoot: true}
		path, _ := p.of(claim("1"))
		pv := persistentVolume(claim("2"), path, corev1.PersistentVolumeReclaimDelete)
		pv.Status.Phase = corev1.VolumeReleased
		if path, got := (&reclaimer{places: p}).reclaimable(pv); got {
			t.Errorf("%s would be removed", path)
		}
	})
}
