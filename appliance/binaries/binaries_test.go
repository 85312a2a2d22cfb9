package binaries_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/binaries"
	"github.com/gardener-up/gardener-up/embedded/image"
)

func write(t *testing.T, file, content string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestBinaries(t *testing.T) {
	root := t.TempDir()
	source, dir := filepath.Join(root, "installed"), filepath.Join(root, "binaries")
	v1, v2 := binaries.Binaries{Dir: dir, Own: "v1"}, binaries.Binaries{Dir: dir, Own: "v2"}
	imageOf := func(tag string) string { return image.Repository + ":" + tag }
	began := time.Now()

	write(t, source, "first", began)
	if err := v1.Keep(source); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-6 pods of the version of this binary run this binary", func(t *testing.T) {
		if file, found := v1.Of(imageOf("v1")); found {
			t.Errorf("they run %s", file)
		}
	})
	t.Run("APP-6 the binary is not copied again", func(t *testing.T) {
		before, err := os.Stat(filepath.Join(dir, "v1", "gardener"))
		if err != nil {
			t.Fatal(err)
		}
		if err := v1.Keep(source); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(filepath.Join(dir, "v1", "gardener")); err != nil || !os.SameFile(before, after) {
			t.Errorf("the file was replaced, %v", err)
		}
	})

	write(t, source, "second", began.Add(time.Second))
	if err := v2.Keep(source); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-6 pods of an older version run what was kept of it, also if the installed file was overwritten", func(t *testing.T) {
		file, found := v2.Of(imageOf("v1"))
		if !found || read(t, file) != "first" {
			t.Errorf("they run %s, %v", file, found)
		}
	})
	t.Run("APP-6 pods of a version that nobody kept run this binary", func(t *testing.T) {
		for _, reference := range []string{imageOf("v0"), image.Repository, "registry.example.org/gardener:v1", imageOf("../v1")} {
			if file, found := v2.Of(reference); found {
				t.Errorf("%s runs %s", reference, file)
			}
		}
	})
	t.Run("APP-6 another binary of the same version replaces the kept one", func(t *testing.T) {
		write(t, source, "again!", began.Add(time.Minute))
		if err := v2.Keep(source); err != nil {
			t.Fatal(err)
		}
		if file, found := v1.Of(imageOf("v2")); !found || read(t, file) != "again!" {
			t.Errorf("kept is %s, %v", file, found)
		}
	})
	t.Run("APP-6 versions go when no image needs them", func(t *testing.T) {
		if removed, err := v2.Sweep([]string{imageOf("v1"), "nginx"}); err != nil || removed != nil {
			t.Errorf("removed %v, %v", removed, err)
		}
		removed, err := v2.Sweep([]string{"nginx"})
		if diff := cmp.Diff([]string{"v1"}, removed); diff != "" || err != nil {
			t.Errorf("removed (-want +got):\n%s%v", diff, err)
		}
		if got := read(t, filepath.Join(dir, "v2", "gardener")); got != "again!" {
			t.Errorf("own binary is %q", got)
		}
	})
	t.Run("a directory that nobody made is empty", func(t *testing.T) {
		if removed, err := (binaries.Binaries{Dir: filepath.Join(root, "none"), Own: "v2"}).Sweep(nil); err != nil || removed != nil {
			t.Errorf("removed %v, %v", removed, err)
		}
	})
}
