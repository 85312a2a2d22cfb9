package volume

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/kubernetes/pkg/volume/util/subpath"
)

func TestBindMountsAreLinks(t *testing.T) {
	dir := t.TempDir()
	source, target := filepath.Join(dir, "source"), filepath.Join(dir, "target")
	for _, path := range []string{source, target} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m := Mounter{}
	if mounted, err := m.IsMountPoint(target); mounted || err != nil {
		t.Errorf("before: mounted is %t, error %v", mounted, err)
	}
	for range 2 {
		if err := m.Mount(source, target, "", []string{"bind"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(target, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(source, "f")); err != nil {
		t.Errorf("a file written to the mount is not in its source: %v", err)
	}
	if mounted, err := m.IsMountPoint(target); !mounted || err != nil {
		t.Errorf("while mounted: mounted is %t, error %v", mounted, err)
	}
	for range 2 {
		if err := m.Unmount(target); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(target); err != nil { // as the kubelet does next
		t.Errorf("what is unmounted is not an empty directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(source, "f")); err != nil {
		t.Errorf("unmounting removed the source's file: %v", err)
	}
}

func TestOtherMountsAreDirectories(t *testing.T) {
	target := t.TempDir()
	if err := (Mounter{}).Mount("tmpfs", target, "tmpfs", nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(target); err != nil || !info.IsDir() {
		t.Errorf("target is %v (%v)", info, err)
	}
}

func TestSubpathsStayInTheirVolume(t *testing.T) {
	volume := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(volume, "out")); err != nil {
		t.Fatal(err)
	}
	s := Subpaths{}
	t.Run("APP-14 a volume that became a link leads nowhere", func(t *testing.T) {
		hostPaths, machine := t.TempDir(), t.TempDir()
		own := filepath.Join(hostPaths, "own")
		if err := os.Symlink(machine, own); err != nil {
			t.Fatal(err)
		}
		s := Subpaths{HostPaths: hostPaths}
		if err := s.SafeMakeDir("made", own, 0o700); err == nil {
			t.Error("a directory is made")
		}
		if err := os.Mkdir(filepath.Join(machine, "there"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got, _, err := s.PrepareSafeSubpath(subpath.Subpath{Path: filepath.Join(own, "there"), VolumePath: own}); err == nil {
			t.Errorf("%s is mounted", got)
		}
	})
	t.Run("APP-14 nobody learns what exists on the machine", func(t *testing.T) {
		machine := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(volume, "own"), 0o700), os.Symlink(machine, filepath.Join(volume, "there")), os.Symlink(filepath.Join(machine, "missing"), filepath.Join(volume, "missing"))); err != nil {
			t.Fatal(err)
		}
		host := NewHost(volume)
		for path, want := range map[string]bool{"own": true, "nothing": false, "there": true, "missing": true} {
			if got, err := host.PathExists(filepath.Join(volume, path)); got != want || err != nil {
				t.Errorf("%s: got %t, %v", path, got, err)
			}
		}
	})
	if err := s.SafeMakeDir("a/b", volume, os.ModeDir|0o777); err != nil { // the mode of a volume, as the kubelet reads it
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(volume, "a/b")); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("APP-11 users of containers cannot write to %v, %v", info, err)
	}
	if got, _, err := s.PrepareSafeSubpath(subpath.Subpath{Path: filepath.Join(volume, "a/b"), VolumePath: volume}); err != nil || got != filepath.Join(volume, "a/b") {
		t.Errorf("got %q and %v", got, err)
	}
	if _, _, err := s.PrepareSafeSubpath(subpath.Subpath{Path: filepath.Join(volume, "out"), VolumePath: volume}); err == nil {
		t.Error("a link out of the volume is accepted")
	}
	if err := s.SafeMakeDir("out/c", volume, 0o700); err == nil {
		t.Error("a directory is made outside of the volume")
	}
}
