package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// TestMain makes the test binary its own appliance: as a container it does what its first argument says. The test fails if it leaves a goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv("RUNTIME_TEST_CHILD") != "" && len(os.Args) > 1 {
		os.Exit(child(os.Args[1], os.Args[2:]))
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/gardener-up/gardener-up/embedded/node/runtime.serveStarts")) // keeps its thread for ever
}

func child(what string, args []string) int {
	switch what {
	case "exit":
		code, _ := strconv.Atoi(args[0])
		return code
	case "print":
		fmt.Println(args[0])
		fmt.Fprint(os.Stderr, args[1])
	case "cat":
		data, err := os.ReadFile(strings.TrimPrefix(args[0], "--file="))
		if err != nil {
			fmt.Println(err)
			return 1
		}
		os.Stdout.Write(data)
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "copy":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "polite":
		terminated := make(chan os.Signal, 1)
		signal.Notify(terminated, syscall.SIGTERM)
		fmt.Println("up")
		<-terminated
		fmt.Println("bye")
		return 5
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("up")
		time.Sleep(time.Minute) // until the test kills it
	case "grow": // until it has so many bytes, or is refused some
		size, _ := strconv.Atoi(args[0])
		var data [][]byte
		for had := 0; had < size; had += 16 << 20 {
			data = append(data, make([]byte, 16<<20))
		}
		fmt.Println("grown to", len(data))
	case "serve":
		listener, err := net.Listen("tcp", args[0])
		if err != nil {
			return 1
		}
		fmt.Println("up")
		conn, err := listener.Accept()
		if err != nil {
			return 1
		}
		_, _ = io.Copy(conn, conn)
	case "node": // a whole runtime with one container, for tests that kill it
		r, err := New(testConfig(args[0]))
		if err != nil {
			fmt.Println(err)
			return 1
		}
		pod := &testPod{runtime: r, dir: args[0]}
		if err := pod.start("stubborn"); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(r.containers[pod.container].record.Process.PID)
		time.Sleep(time.Minute) // until the test kills it
	}
	return 0
}

func testConfig(dir string) Config {
	return Config{
		RootDir: filepath.Join(dir, "runtime"), PodRange: netip.MustParsePrefix("127.77.0.0/24"), NodeIP: netip.MustParseAddr("127.77.0.1"), Version: "v1.2.3",
		Runs: func(annotations map[string]string, _ string) (bool, string) {
			return annotations["genuine"] == "true", annotations["reason"]
		},
		Executes:   func(args []string) bool { return len(args) > 0 && args[0] != "forbidden" },
		Completes:  func(_, container string) bool { return container == "job" },
		Executable: executable(), Env: map[string]string{"RUNTIME_TEST_CHILD": "true", "FROM_NODE": "node"}, PassEnv: []string{"PASSED_ON"}, Log: logr.Discard(),
	}
}

func executable() string {
	path, _ := filepath.Abs(os.Args[0])
	if !strings.Contains(os.Args[0], string(filepath.Separator)) { // the child is called gardener
		path, _ = os.Executable()
	}
	return path
}

func newRuntime(t *testing.T, dir string) *Runtime {
	t.Helper()
	return runtimeOf(t, testConfig(dir))
}

func runtimeOf(t *testing.T, config Config) *Runtime {
	t.Helper()
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r.Shutdown(ctx, func(string) int32 { return 0 })
		_ = r.Close(ctx)
	})
	return r
}

// testPod drives the runtime as the kubelet does.
type testPod struct {
	runtime *Runtime
	dir     string
	image   string // appliance if empty
	name    string // of the container
	env     []*cri.KeyValue
	mounts  []*cri.Mount
	// annotations of the pod, beside the one that makes pods of the appliance image processes
	annotations map[string]string
	hostNetwork bool
	oomScore    int64

	sandbox, container string
}

func (p *testPod) start(args ...string) error {
	ctx := context.Background()
	if p.image == "" {
		p.image = "appliance"
	}
	if p.name == "" {
		p.name = "main"
	}
	var err error
	config := &cri.PodSandboxConfig{
		Metadata: &cri.PodSandboxMetadata{Name: "pod", Namespace: "test", Uid: "uid-" + p.name}, LogDirectory: filepath.Join(p.dir, "logs"),
		Labels: map[string]string{"app": p.name}, Annotations: map[string]string{"genuine": strconv.FormatBool(p.image == "appliance")},
		PortMappings: []*cri.PortMapping{{ContainerPort: 80}, {ContainerPort: 18471}, {ContainerPort: 18472}},
	}
	maps.Copy(config.Annotations, p.annotations)
	if p.hostNetwork {
		config.Linux = &cri.LinuxPodSandboxConfig{SecurityContext: &cri.LinuxSandboxSecurityContext{NamespaceOptions: &cri.NamespaceOption{Network: cri.NamespaceMode_NODE}}}
	}
	if p.sandbox == "" {
		if p.sandbox, err = p.runtime.RunPodSandbox(ctx, config, ""); err != nil {
			return err
		}
	}
	p.container, err = p.runtime.CreateContainer(ctx, p.sandbox, &cri.ContainerConfig{
		Metadata: &cri.ContainerMetadata{Name: p.name}, Image: &cri.ImageSpec{Image: p.image}, Args: args, Envs: p.env, Mounts: p.mounts,
		WorkingDir: "/", LogPath: p.name + ".log", Labels: map[string]string{"app": p.name},
		Linux: &cri.LinuxContainerConfig{Resources: &cri.LinuxContainerResources{OomScoreAdj: p.oomScore}},
	}, config)
	if err != nil {
		return err
	}
	return p.runtime.StartContainer(ctx, p.container)
}

func (p *testPod) mustStart(t *testing.T, args ...string) {
	t.Helper()
	if err := p.start(args...); err != nil {
		t.Fatal(err)
	}
}

func (p *testPod) status(t *testing.T) *cri.ContainerStatus {
	t.Helper()
	response, err := p.runtime.ContainerStatus(context.Background(), p.container, false)
	if err != nil {
		t.Fatal(err)
	}
	return response.GetStatus()
}

func (p *testPod) awaitExit(t *testing.T) *cri.ContainerStatus {
	t.Helper()
	eventually(t, "the container exits", func() bool { return p.status(t).GetState() == cri.ContainerState_CONTAINER_EXITED })
	return p.status(t)
}

// log returns the content of the container's log without times and tags.
func (p *testPod) log(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, "logs", p.name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	var content strings.Builder
	for line := range strings.Lines(string(data)) {
		content.WriteString(strings.SplitN(line, " ", 4)[3])
	}
	return content.String()
}

func (p *testPod) awaitLog(t *testing.T, want string) {
	t.Helper()
	eventually(t, "the log holds "+want, func() bool { return strings.Contains(p.log(t), want) })
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	testwait.Until(t, what, func() error {
		if !done() {
			return errors.New("it did not happen")
		}
		return nil
	})
}
