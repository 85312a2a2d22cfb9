package incluster

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFrom(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"token": "t0ken", "namespace": "shoot--a--b\n", "ca.crt": "ca"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("the mounted files and variables make a config", func(t *testing.T) {
		config, namespace, err := from(dir, "127.0.0.1", "6443")
		if err != nil {
			t.Fatal(err)
		}
		if config.Host != "https://127.0.0.1:6443" || namespace != "shoot--a--b" || string(config.CAData) != "ca" {
			t.Errorf("host %q, namespace %q, CA %q", config.Host, namespace, config.CAData)
		}
		if !filepath.IsAbs(config.BearerTokenFile) || config.BearerToken != "t0ken" {
			t.Errorf("token file %q, want an absolute one beside the token", config.BearerTokenFile)
		}
	})
	t.Run("a task finds files and variables of its own", func(t *testing.T) {
		task := Surroundings{Dir: filepath.Dir(dir), Getenv: func(name string) string {
			return map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.9", "KUBERNETES_SERVICE_PORT": "1"}[name]
		}}
		if got, want := task.File(filepath.Base(dir)+"/token"), filepath.Join(dir, "token"); got != want {
			t.Errorf("file %q, want %q", got, want)
		}
		if got := task.File("/etc/hosts") + task.File(""); got != "/etc/hosts" {
			t.Errorf("files %q, want what was given", got)
		}
		if err := os.MkdirAll(filepath.Join(task.Dir, filepath.Dir(Dir)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir, filepath.Join(task.Dir, Dir)); err != nil {
			t.Fatal(err)
		}
		if config, _, err := task.Config(); err != nil || config.Host != "https://127.0.0.9:1" {
			t.Errorf("got %v, %v", config, err)
		}
	})
	t.Run("without variables this is no pod", func(t *testing.T) {
		if _, _, err := from(dir, "", ""); !errors.Is(err, ErrNotInCluster) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("without files this is no pod", func(t *testing.T) {
		if _, _, err := from(t.TempDir(), "127.0.0.1", "6443"); !errors.Is(err, ErrNotInCluster) {
			t.Errorf("got %v", err)
		}
	})
}
