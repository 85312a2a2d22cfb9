package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/node/sandboxed"
)

func TestMissingImage(t *testing.T) {
	config := testConfig(t.TempDir())
	config.Sandboxes = sandboxed.New(sandboxed.Config{})
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(t.Context()) })
	var told []MissingImage
	r.OnMissingImage(func(m MissingImage) { told = append(told, m) })
	pod := &cri.PodSandboxConfig{Metadata: &cri.PodSandboxMetadata{Name: "web", Namespace: "default", Uid: "1"}}
	sandbox, err := r.RunPodSandbox(t.Context(), pod, "")
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.CreateContainer(t.Context(), sandbox, &cri.ContainerConfig{
		Metadata: &cri.ContainerMetadata{Name: "nginx"},
		Image:    &cri.ImageSpec{Image: "simulated:registry.invalid/nginx:1#no such host", UserSpecifiedImage: "registry.invalid/nginx:1"},
	}, pod)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-17 a container without its image is simulated, and users learn why", func(t *testing.T) {
		want := []MissingImage{{Namespace: "default", Pod: "web", PodUID: "1", Container: "nginx", Because: "image could not be pulled: no such host"}}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		answer, err := r.ContainerStatus(t.Context(), id, false)
		if err != nil || answer.Status.State != cri.ContainerState_CONTAINER_RUNNING || answer.Status.Image.Image != "registry.invalid/nginx:1" {
			t.Errorf("status %v, %v", answer, err)
		}
	})
	t.Run("APP-17 its probes pass, and commands of users say that it is simulated", func(t *testing.T) {
		if _, _, err := r.ExecSync(t.Context(), id, []string{"any"}, 0); err != nil {
			t.Error(err)
		}
		if _, err := r.runningContainer(id); err == nil || !strings.Contains(err.Error(), "nginx is simulated: image could not be pulled") {
			t.Errorf("error %v", err)
		}
	})
}
