package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

var errBoom = errors.New("boom")

// newNode is a directory that stands for a node; what it has is by path.
func newNode(t *testing.T, files map[string]string) (Node, *int) {
	t.Helper()
	restarts := 0
	n := Node{Root: t.TempDir(), Restart: func(context.Context) error { restarts++; return nil }}
	for path, content := range files {
		if err := n.write(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return n, &restarts
}

const kindConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "/etc/containerd/certs.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
base_runtime_spec = "/etc/containerd/cri-base.json"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = true
`

func TestInstall(t *testing.T) {
	n, restarts := newNode(t, map[string]string{"/usr/sbin/runc": "program", configPath: kindConfig})
	install := func(t *testing.T, want bool) {
		t.Helper()
		if changed, err := n.Install(t.Context(), "runsc", "/var/bin/containerruntimes"); err != nil || changed != want {
			t.Errorf("changed %v, %v; want %v", changed, err, want)
		}
	}
	t.Run("CTR-8 the program is copied, containerd is told and restarted", func(t *testing.T) {
		install(t, true)
		if got, err := os.ReadFile(n.at("/var/bin/containerruntimes/runsc")); err != nil || string(got) != "program" || *restarts != 1 {
			t.Errorf("program %q, %v, %d restarts", got, err, *restarts)
		}
	})
	t.Run("CTR-8 the runtime is like runc but for its program, and nothing else changes", func(t *testing.T) {
		data, err := os.ReadFile(n.at(configPath))
		if err != nil {
			t.Fatal(err)
		}
		want, got := map[string]any{}, map[string]any{}
		if err := errors.Join(toml.Unmarshal([]byte(kindConfig), &want), toml.Unmarshal(data, &got)); err != nil {
			t.Fatal(err)
		}
		table(want, "plugins", "io.containerd.grpc.v1.cri", "containerd", "runtimes")["runsc"] = map[string]any{
			"runtime_type": "io.containerd.runc.v2", "base_runtime_spec": "/etc/containerd/cri-base.json",
			"options": map[string]any{"SystemdCgroup": true, "BinaryName": "/var/bin/containerruntimes/runsc"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("configuration (-want +got):\n%s", diff)
		}
	})
	t.Run("CTR-8 containerd is not restarted again", func(t *testing.T) {
		if install(t, false); *restarts != 1 {
			t.Errorf("%d restarts", *restarts)
		}
	})
	t.Run("CTR-1 a second runtime is added to the first", func(t *testing.T) {
		if changed, err := n.Install(t.Context(), "kata", "/var/bin/containerruntimes"); err != nil || !changed {
			t.Errorf("changed %v, %v", changed, err)
		}
		install(t, false)
	})
	t.Run("CTR-8 a restart that failed is made up for", func(t *testing.T) {
		n, _ := newNode(t, map[string]string{"/bin/runc": "program", configPath: "version = 3\n"})
		n.Restart = func(context.Context) error { return errBoom }
		if _, err := n.Install(t.Context(), "runsc", "/b"); !errors.Is(err, errBoom) {
			t.Fatalf("error is %v", err)
		}
		restarted := false
		n.Restart = func(context.Context) error { restarted = true; return nil }
		if _, err := n.Install(t.Context(), "runsc", "/b"); err != nil || !restarted {
			t.Errorf("restarted %v, %v", restarted, err)
		}
		if _, err := os.Stat(filepath.Join(n.Root, pendingDir, "runsc")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it would be restarted for ever: %v", err)
		}
	})
	t.Run("a node without runc is told", func(t *testing.T) {
		n, restarts := newNode(t, nil)
		if _, err := n.Install(t.Context(), "runsc", "/b"); err == nil || *restarts > 0 {
			t.Errorf("error %v, %d restarts", err, *restarts)
		}
	})
}
