package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// volumes makes directories from "path: content" lines; "..data" in a volume marks one that the kubelet writes.
func volumes(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		path, content, _ := strings.Cut(file, ": ")
		full := filepath.Join(dir, path)
		if strings.HasSuffix(path, "/") {
			if err := os.MkdirAll(full, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMounts(t *testing.T) {
	for name, tc := range map[string]struct {
		files  []string
		mounts []volumeMount // host paths below the volumes' directory
		want   map[string]string
	}{
		"a volume appears at its path": {
			files: []string{"v/f: 1"}, mounts: []volumeMount{{ContainerPath: "/var/data", HostPath: "v"}},
			want: map[string]string{"var/data/f": "1"},
		},
		"a file appears at its path": {
			files: []string{"v/f: 1"}, mounts: []volumeMount{{ContainerPath: "/etc/app.conf", HostPath: "v/f"}},
			want: map[string]string{"etc/app.conf": "1"},
		},
		"a volume in a secret leaves the secret's files visible": {
			files:  []string{"secret/..data/x: x", "secret/crt: c", "conf/f: 1"},
			mounts: []volumeMount{{ContainerPath: "/pki/conf/deep", HostPath: "conf"}, {ContainerPath: "/pki", HostPath: "secret"}},
			want:   map[string]string{"pki/crt": "c", "pki/conf/deep/f": "1"},
		},
		"a file over a file of a read-only volume hides it": {
			files:  []string{"v/a: old", "v/b: b", "v/d/e: e", "w/a: new"},
			mounts: []volumeMount{{ContainerPath: "/v", HostPath: "v", ReadOnly: true}, {ContainerPath: "/v/a", HostPath: "w/a"}, {ContainerPath: "/v/d/f", HostPath: "w/a"}},
			want:   map[string]string{"v/a": "new", "v/b": "b", "v/d/e": "e", "v/d/f": "new"},
		},
		"a volume in a writable volume is a mount point in it": {
			files:  []string{"data/own: o", "other/f: 1"},
			mounts: []volumeMount{{ContainerPath: "/data", HostPath: "data"}, {ContainerPath: "/data/other", HostPath: "other"}},
			want:   map[string]string{"data/own": "o", "data/other/f": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, root := volumes(t, tc.files...), filepath.Join(t.TempDir(), "root")
			for i := range tc.mounts {
				tc.mounts[i].HostPath = filepath.Join(dir, tc.mounts[i].HostPath)
			}
			for range 2 { // a restarted container finds the mount points of the first
				if err := layOut(root, tc.mounts); err != nil {
					t.Fatal(err)
				}
			}
			for path, want := range tc.want {
				if got, err := os.ReadFile(filepath.Join(root, path)); err != nil || string(got) != want {
					t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
				}
			}
		})
	}
}

func TestMountsSeeChangesAndAreWritable(t *testing.T) {
	dir, root := volumes(t, "v/"), t.TempDir()
	if err := layOut(root, []volumeMount{{ContainerPath: "data", HostPath: filepath.Join(dir, "v")}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "data", "f"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "v", "f")); string(got) != "1" {
		t.Errorf("the volume holds %q (%v)", got, err)
	}
}

func TestMountsRefuse(t *testing.T) {
	dir := volumes(t, "data/full/f: precious", "other/")
	for name, mounts := range map[string][]volumeMount{
		"a mount at the root":                      {{ContainerPath: "/", HostPath: filepath.Join(dir, "other")}},
		"to replace files of a writable volume":    {{ContainerPath: "/d", HostPath: filepath.Join(dir, "data")}, {ContainerPath: "/d/full", HostPath: filepath.Join(dir, "other")}},
		"to replace one file of a writable volume": {{ContainerPath: "/d", HostPath: filepath.Join(dir, "data")}, {ContainerPath: "/d/full/f", HostPath: filepath.Join(dir, "other")}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := layOut(t.TempDir(), mounts); err == nil {
				t.Error("no error")
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "data/full/f")); string(got) != "precious" {
				t.Error("a file of the volume is lost")
			}
		})
	}
}
