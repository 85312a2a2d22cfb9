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

func TestFilesInVolumes(t *testing.T) {
	for _, arg := range []string{"pki/ca.crt", "--file=pki/ca.crt", "--file=/pki/ca.crt"} {
		t.Run("OIDC-6 a process reads "+arg, func(t *testing.T) {
			dir := t.TempDir()
			volume := volumes(t, "ca.crt: certificate")
			pod := &testPod{runtime: newRuntime(t, dir), dir: dir, mounts: []*cri.Mount{{ContainerPath: "/pki", HostPath: volume}}}
			pod.mustStart(t, "cat", arg)
			pod.awaitExit(t)
			if got := pod.log(t); got != "certificate\n" {
				t.Errorf("it reads %q", got)
			}
		})
	}
}

func TestPathsInVolumes(t *testing.T) {
	mounts := []volumeMount{{ContainerPath: "/etc/webhook", HostPath: "/volumes/webhook"}, {ContainerPath: "/pki/", HostPath: "/volumes/pki"}}
	for name, tc := range map[string]struct{ arg, want string }{
		"OIDC-6 a file in a volume is that of the container": {"--config=/etc/webhook/kubeconfig", "--config=/root/etc/webhook/kubeconfig"},
		"so is the volume":                   {"--dir=/pki", "--dir=/root/pki"},
		"and what leads out of it":           {"--dir=/pki/../../etc/passwd", "--dir=/root/etc/passwd"},
		"other paths stay":                   {"--file=/etc/webhooks/kubeconfig", "--file=/etc/webhooks/kubeconfig"},
		"relative paths stay":                {"--file=etc/webhook/kubeconfig", "--file=etc/webhook/kubeconfig"},
		"other values stay":                  {"--name=a", "--name=a"},
		"what is no flag stays":              {"file=/etc/webhook/kubeconfig", "file=/etc/webhook/kubeconfig"},
		"a flag without a value stays":       {"--verbose", "--verbose"},
		"a list that begins elsewhere stays": {"--prefixes=/a,/etc/webhook", "--prefixes=/a,/etc/webhook"},
	} {
		t.Run(name, func(t *testing.T) {
			given := []string{"gardener", tc.arg}
			if got := placed(given, "/root", mounts); got[1] != tc.want || got[0] != "gardener" || given[1] != tc.arg {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
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
			got, err := commandLine(tc.command, tc.args)
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
