package sandboxed

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

func TestSettle(t *testing.T) {
	machine := t.TempDir()
	volume, secret := filepath.Join(machine, "volume"), filepath.Join(machine, "secret")
	if err := errors.Join(os.Mkdir(volume, 0o700), os.Mkdir(secret, 0o700), os.Symlink(volume, filepath.Join(machine, "alias")),
		os.Symlink(secret, filepath.Join(volume, "out"))); err != nil {
		t.Fatal(err)
	}
	h := New(Config{Base: func(podUID, path string) (string, error) {
		if podUID != "1" {
			return "", errors.New("another pod")
		}
		return filepath.Join(machine, "alias"), nil
	}})
	settle := func(podUID, path string) (string, error) {
		mounts := []pod.Mount{{ContainerPath: "/data", HostPath: path}}
		err := h.settle(mounts, Sandbox{Config: &cri.PodSandboxConfig{Metadata: &cri.PodSandboxMetadata{Uid: podUID}}})
		return mounts[0].HostPath, err
	}
	t.Run("APP-11 gVisor gets paths without links", func(t *testing.T) {
		if got, err := settle("1", filepath.Join(machine, "alias")); got != volume || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("APP-14 a link that leads out of the volume is refused", func(t *testing.T) {
		if got, err := settle("1", filepath.Join(machine, "alias", "out")); err == nil {
			t.Errorf("got %s", got)
		}
	})
	t.Run("APP-14 what is no volume of the pod is refused", func(t *testing.T) {
		if got, err := settle("2", volume); err == nil {
			t.Errorf("got %s", got)
		}
	})
}
