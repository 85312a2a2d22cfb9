package sandboxed

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

func TestWithResolvConf(t *testing.T) {
	own, other := pod.Mount{ContainerPath: "/etc/resolv.conf/", HostPath: "/volume"}, pod.Mount{ContainerPath: "/etc", HostPath: "/volume"}
	added := pod.Mount{ContainerPath: "/etc/resolv.conf", HostPath: "/file"}
	for name, tc := range map[string]struct {
		mounts []pod.Mount
		file   string
		want   []pod.Mount
	}{
		"APP-11 a container has the file of the pod":       {[]pod.Mount{other}, "/file", []pod.Mount{other, added}},
		"APP-11 a mount of the container takes its place":  {[]pod.Mount{own}, "/file", []pod.Mount{own}},
		"APP-11 a pod without name servers has none of it": {[]pod.Mount{other}, "", []pod.Mount{other}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withResolvConf(tc.mounts, tc.file); !slices.Equal(got, tc.want) {
				t.Errorf("mounts are %v, want %v", got, tc.want)
			}
		})
	}
}
