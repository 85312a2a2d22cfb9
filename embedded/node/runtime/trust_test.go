package runtime

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestCommandsAreThoseOfTheContainer(t *testing.T) {
	dir := t.TempDir()
	volume := volumes(t, "sh: #!/bin/sh")
	if err := os.Chmod(filepath.Join(volume, "sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir, mounts: []*cri.Mount{{ContainerPath: "/programs", HostPath: volume}, {ContainerPath: "/bin", HostPath: "/bin"}}}
	pod.mustStart(t, "polite")
	pod.awaitLog(t, "up")
	for command, want := range map[string]string{
		"sh":                          "executable file not found in $PATH",
		"./sh":                        "executable file not found in $PATH",
		"bin/sh":                      "executable file not found in $PATH",
		"../../../../../../../bin/sh": "executable file not found in $PATH",
		"programs/sh":                 "executable file not found in $PATH",
		"":                            "executable file not found in $PATH",
		"/bin/sh":                     "no such file or directory",
		"/programs/sh":                "no such file or directory",
		"/proc/self/exe":              "no such file or directory",
		"/gardener forbidden":         "may not be executed",
		"gardener forbidden":          "may not be executed",
	} {
		t.Run("APP-19 exec of "+command+" is refused", func(t *testing.T) {
			argv := strings.Split(command, " ")
			_, _, err := pod.runtime.ExecSync(context.Background(), pod.container, argv, time.Second)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a hook or probe gets %v, want %q", err, want)
			}
			err = streamer{pod.runtime}.Exec(context.Background(), pod.container, argv, nil, closer{&strings.Builder{}}, nil, false, nil)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a user gets %v, want %q", err, want)
			}
		})
	}
}

func TestPortsAreThoseOfThePod(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	r := newRuntime(t, dir)
	open, err := net.Listen("tcp", "0.0.0.0:0") // as a server of the machine does
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	port := int32(open.Addr().(*net.TCPAddr).Port)
	for name, tc := range map[string]struct {
		pod  testPod
		want string
	}{
		"APP-19 a port that the pod does not declare":   {testPod{name: "process"}, "does not declare port"},
		"APP-19 a pod in the network of the machine":    {testPod{name: "host", hostNetwork: true}, "is in the network of the machine"},
		"APP-19 a simulated pod in that network":        {testPod{name: "simulated", image: "nginx", hostNetwork: true}, "is simulated"},
		"APP-19 a simulated pod all of which has ended": {testPod{name: "job", image: "nginx", hostNetwork: true}, "is simulated"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &tc.pod
			pod.runtime, pod.dir = r, dir
			pod.mustStart(t, "polite")
			if _, err := r.PortForward(ctx, &cri.PortForwardRequest{PodSandboxId: pod.sandbox, Port: []int32{port}}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the request gives %v, want %q", err, tc.want)
			}
			client, server := net.Pipe()
			defer client.Close()
			if err := (streamer{r}).PortForward(ctx, pod.sandbox, port, server); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the stream gives %v, want %q", err, tc.want)
			}
		})
	}
}

func TestSimulationsSayWhyAndWhatTheyUse(t *testing.T) {
	dir := t.TempDir()
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir, image: "copy", annotations: map[string]string{
		"reason": "it has no signature", cpuAnnotation: "2", memoryAnnotation: "64Mi",
	}}
	pod.mustStart(t)
	if got, want := pod.log(t), "Image copy is simulated: nothing runs in container main. (it has no signature)\n"; got != want {
		t.Errorf("APP-17 log is %q, want %q", got, want)
	}
	time.Sleep(20 * time.Millisecond) // it uses the time of two processors meanwhile
	stats, err := pod.runtime.ContainerStats(context.Background(), pod.container)
	if err != nil {
		t.Fatal(err)
	}
	if memory, cpu := stats.GetMemory().GetWorkingSetBytes().GetValue(), stats.GetCpu().GetUsageCoreNanoSeconds().GetValue(); memory != 64<<20 || cpu < uint64(40*time.Millisecond) {
		t.Errorf("it uses %d bytes and %s", memory, time.Duration(cpu))
	}
}

func TestTheKubeletLearnsOnlyItsOwnMounts(t *testing.T) {
	dir := t.TempDir()
	message, volume := filepath.Join(dir, "pods", "uid-main", "containers", "main", "1a2b"), filepath.Join(dir, "hostpaths", "x")
	for _, file := range []string{message, volume} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	config := testConfig(dir)
	config.KubeletDir = dir
	pod := &testPod{runtime: runtimeOf(t, config), dir: dir, image: "other", mounts: []*cri.Mount{
		{ContainerPath: "/t", HostPath: volume}, {ContainerPath: "/t", HostPath: message},
	}}
	pod.mustStart(t)
	t.Run("APP-14 it reads no termination message from a volume", func(t *testing.T) {
		mounts := pod.status(t).GetMounts()
		if len(mounts) != 1 || mounts[0].GetHostPath() != message {
			t.Errorf("it may read %v", mounts)
		}
	})
}
