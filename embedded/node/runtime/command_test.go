package runtime

import (
	"context"
	"strings"
	"testing"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("PASSED_ON", "passed")
	t.Setenv("SECRET_OF_NODE", "secret")
	dir := t.TempDir()
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir, env: []*cri.KeyValue{
		{Key: "OWN", Value: []byte("own")}, {Key: "FROM_NODE", Value: []byte("overridden")},
	}}
	pod.mustStart(t, "env")
	pod.awaitExit(t)
	env := pod.log(t)
	for _, want := range []string{"PASSED_ON=passed\n", "OWN=own\n", "FROM_NODE=node\n", "HOME=" + dir, "TMPDIR=" + dir, "PATH=" + dir} {
		if !strings.Contains(env, want) {
			t.Errorf("%q is missing in\n%s", want, env)
		}
	}
	if strings.Contains(env, "SECRET_OF_NODE") {
		t.Error("the container sees a variable of the node")
	}
}

func TestWorkingDirectoryIsTheRoot(t *testing.T) {
	dir := t.TempDir()
	volume := volumes(t, "ca.crt: certificate")
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir, mounts: []*cri.Mount{{ContainerPath: "/pki", HostPath: volume}}}
	pod.mustStart(t, "cat", "pki/ca.crt")
	pod.awaitExit(t)
	if got := pod.log(t); got != "certificate\n" {
		t.Errorf("a relative path gives %q", got)
	}
}

func TestCommands(t *testing.T) {
	for name, tc := range map[string]struct {
		command, args []string
		want          string // empty: refused
	}{
		"arguments alone are the binary's": {nil, []string{"component", "etcd"}, "gardener component etcd"},
		"the binary may be named":          {[]string{"/gardener", "component"}, []string{"etcd"}, "gardener component etcd"},
		"nothing else is in the image":     {[]string{"/bin/sh"}, []string{"-c", "true"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := (&Runtime{}).argv(tc.command, tc.args)
			if (err != nil) != (tc.want == "") || strings.Join(got, " ") != tc.want {
				t.Errorf("got %q and %v, want %q", got, err, tc.want)
			}
		})
	}
}

func TestContainerThatCannotStart(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	r.config.Executable = "/does/not/exist"
	pod := &testPod{runtime: r, dir: dir}
	if err := pod.start("env"); err == nil {
		t.Fatal("no error")
	}
	status := pod.status(t)
	if status.GetExitCode() != exitNotStarted || status.GetReason() != "StartError" || !strings.Contains(status.GetMessage(), "/does/not/exist") {
		t.Errorf("status is %v", status)
	}
	if err := r.StartContainer(context.Background(), pod.container); err == nil {
		t.Error("a container can be started twice")
	}
}

func TestKeptBinary(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	r.config.Executable = "/does/not/exist"
	r.config.Kept = func(image string) (string, bool) { return executable(), image == "appliance" }
	t.Run("APP-6 a container runs the binary that is kept for its image", func(t *testing.T) {
		pod := &testPod{runtime: r, dir: dir}
		pod.mustStart(t, "env")
		pod.awaitExit(t)
		if code := pod.status(t).GetExitCode(); code != 0 {
			t.Errorf("exit code is %d", code)
		}
	})
	t.Run("APP-6 containers of other images run the binary of the node", func(t *testing.T) {
		r.config.Kept = func(image string) (string, bool) { return executable(), image == "gardener:v0" }
		if err := (&testPod{runtime: r, dir: t.TempDir()}).start("env"); err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
			t.Errorf("error is %v", err)
		}
	})
}
