package pod_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/sandbox"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[0] == "/program" {
		os.Exit(act(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// act is what this binary does in a container.
func act(args []string) int {
	switch args[0] {
	case "say":
		fmt.Println(strings.Join(args[1:], " "), os.Getpid())
		fmt.Fprintln(os.Stderr, "an error")
		return 7
	case "stay":
		<-time.After(time.Hour)
	case "write":
		if err := os.WriteFile(args[1], []byte("written"), 0o600); err != nil {
			fmt.Println(err)
			return 1
		}
	case "eat":
		eat(args[1])
	case "burn":
		for end := time.Now().Add(time.Hour); time.Now().Before(end); {
		}
	case "fork":
		fork(args[1])
	case "exists":
		if _, err := os.Stat(args[1]); err != nil {
			return 1
		}
	}
	return 0
}

// image makes an image of this binary and returns its root file system.
func image(t *testing.T) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	_ = w.WriteHeader(&tar.Header{Name: "program", Mode: 0o755, Size: int64(len(self)), Typeflag: tar.TypeReg})
	_, _ = w.Write(self)
	_ = w.Close()
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	made, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	reference, _ := name.NewTag("test:1")
	if err := tarball.WriteToFile(file, reference, made); err != nil {
		t.Fatal(err)
	}
	store, err := imagestore.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	records, err := store.Load(file, "")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := store.Get("", records[0].ID.String())
	if err != nil {
		t.Fatal(err)
	}
	return loaded.Rootfs
}

// start makes a pod, which ends with the test.
func start(t *testing.T) *pod.Pod {
	t.Helper()
	return startWith(t, func(*pod.Config) {})
}

func startWith(t *testing.T, change func(*pod.Config)) *pod.Pod {
	t.Helper()
	programs, err := sandbox.Unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	spawner, err := pod.NewSpawner(programs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(spawner.Stop)
	config := pod.Config{ID: "p1", Hostname: "web", Dir: t.TempDir(), Network: network()}
	change(&config)
	p, err := spawner.Start(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func TestSpawner(t *testing.T) {
	programs, err := sandbox.Unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spawner, err := pod.NewSpawner(programs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(spawner.Stop)
	begin := func(id string) (*pod.Pod, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return spawner.Start(ctx, pod.Config{ID: id, Hostname: "web", Dir: t.TempDir(), Network: network()})
	}
	before, err := begin("before")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(before.Stop)
	t.Run("APP-11 pods start again after the process that starts them was killed", func(t *testing.T) {
		killSpawner(t, programs)
		testwait.Until(t, "another pod starts", func() error {
			after, err := begin("after")
			if err == nil {
				after.Stop()
			}
			return err
		})
		select {
		case <-before.Ended():
			t.Error("a pod that ran has ended")
		default:
		}
	})
}

// killSpawner kills the child of this process that starts pods with these programs.
func killSpawner(t *testing.T, programs sandbox.Programs) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if text, err := os.ReadFile(entry); err != nil || string(text) != programs.Runsc+"\x00spawner\x00" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(entry)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("no spawner runs")
}

func network() podnet.Config {
	return podnet.Config{
		Address: netip.MustParseAddr("127.77.1.3"), Node: netip.MustParseAddr("127.77.1.1"), Landscape: []netip.Prefix{netip.MustParsePrefix("127.77.0.0/16")},
		Decide: func(context.Context, podnet.Protocol, netip.AddrPort) (podnet.Dial, error) {
			return nil, errors.New("closed")
		},
	}
}

func TestContainers(t *testing.T) {
	p, rootfs := start(t), image(t)
	t.Run("APP-11 a container's output and exit code", func(t *testing.T) {
		output := run(t, p, pod.Container{ID: "say", Name: "say", Image: rootfs, Args: []string{"/program", "say", "hello"}, Dir: "/"})
		if code, err := p.Wait(t.Context(), "say"); code != 7 || err != nil {
			t.Errorf("exit code %d, %v", code, err)
		}
		if said := output(); said != "hello 1\nan error\n" {
			t.Errorf("said %q", said)
		}
		if err := p.Delete(t.Context(), "say"); err != nil {
			t.Error(err)
		}
	})
	data := t.TempDir()
	run(t, p, pod.Container{
		ID: "stay", Name: "stay", Image: rootfs, Args: []string{"/program", "stay"}, Dir: "/",
		Mounts: []pod.Mount{{ContainerPath: "/data", HostPath: data}, {ContainerPath: "/fixed", HostPath: t.TempDir(), ReadOnly: true}},
	})
	t.Run("APP-11 a command in a container", func(t *testing.T) {
		if code, said := execute(t, p, "say", "there"); code != 7 || !strings.HasPrefix(said, "there ") {
			t.Errorf("%d %q", code, said)
		}
	})
	t.Run("APP-11 volumes are those of the machine", func(t *testing.T) {
		if code, said := execute(t, p, "write", "/data/file"); code != 0 {
			t.Errorf("write: %d %q", code, said)
		}
		if content, err := os.ReadFile(filepath.Join(data, "file")); string(content) != "written" {
			t.Errorf("the file has %q, %v", content, err)
		}
		if code, _ := execute(t, p, "write", "/fixed/file"); code == 0 {
			t.Error("a read-only volume was written")
		}
	})
	t.Run("APP-11 a read-only root file system has places for what is mounted into every container", func(t *testing.T) {
		hosts, token := filepath.Join(t.TempDir(), "hosts"), "/var/run/secrets/kubernetes.io/serviceaccount"
		if err := os.WriteFile(hosts, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, p, pod.Container{
			ID: "fixed", Name: "fixed", Image: rootfs, ReadOnly: true, Args: []string{"/program", "stay"}, Dir: "/",
			Mounts: []pod.Mount{{ContainerPath: token, HostPath: t.TempDir()}, {ContainerPath: "/etc/hosts", HostPath: hosts}},
		})
		for path, want := range map[string]bool{token + "/file": true, "/etc/hosts": true, "/file": false, "/etc/file": false} {
			if code, said := executeIn(t, p, "fixed", "write", path); (code == 0) != want {
				t.Errorf("%s: %d %q", path, code, said)
			}
		}
	})
	t.Run("APP-14 the machine's files and processes are not there", func(t *testing.T) {
		for _, path := range []string{"/etc/passwd", data, "/proc/" + fmt.Sprint(os.Getpid())} {
			if code, _ := execute(t, p, "exists", path); code == 0 {
				t.Errorf("%s exists", path)
			}
		}
	})
	t.Run("APP-14 nothing that a pod can be led to is a file of the machine", func(t *testing.T) {
		processes := processesInside(t, p.Dir())
		if len(processes) < 3 { // the agent, gVisor's kernel and its server of files
			t.Errorf("%d processes are inside", len(processes))
		}
		for _, pid := range processes {
			roots, err := filepath.Glob("/proc/" + pid + "/task/*/root")
			if err != nil || len(roots) == 0 {
				t.Errorf("threads of process %s: %v", pid, err)
			}
			open, _ := filepath.Glob("/proc/" + pid + "/fd/*")
			for _, from := range append(roots, open...) {
				for _, path := range []string{"etc/passwd", "usr", data[1:], filepath.Dir(rootfs)[1:], "../../../../../../../../../etc/passwd"} {
					if _, err := os.Stat(from + "/" + path); err == nil {
						t.Errorf("%s leads to %s", from, path)
					}
				}
			}
		}
	})
	t.Run("APP-14 a volume that became a link to the machine is not mounted", func(t *testing.T) {
		machine, link := t.TempDir(), filepath.Join(data, "link")
		if err := errors.Join(os.Mkdir(filepath.Join(machine, "deep"), 0o700), os.Symlink(machine, link)); err != nil {
			t.Fatal(err)
		}
		for i, source := range []string{link, filepath.Join(link, "deep")} {
			err := p.Create(t.Context(), pod.Container{
				ID: fmt.Sprintf("led%d", i), Name: "led", Image: rootfs, Args: []string{"/program", "stay"}, Dir: "/",
				Mounts: []pod.Mount{{ContainerPath: "/data", HostPath: source}},
			})
			if err == nil || !strings.Contains(err.Error(), syscall.ELOOP.Error()) {
				t.Errorf("%s: got %v", source, err)
			}
		}
	})
	t.Run("APP-11 a signal reaches the container", func(t *testing.T) {
		if err := p.Signal(t.Context(), "stay", syscall.SIGTERM, false); err != nil {
			t.Fatal(err)
		}
		if code, err := p.Wait(t.Context(), "stay"); code != 128+int(syscall.SIGTERM) || err != nil {
			t.Errorf("exit code %d, %v", code, err)
		}
	})
}

func TestStop(t *testing.T) {
	p, rootfs := start(t), image(t)
	output := run(t, p, pod.Container{ID: "stay", Name: "stay", Image: rootfs, Args: []string{"/program", "stay"}, Dir: "/"})
	p.Stop()
	output() // ends only when every process that has the pipe has ended
	if _, err := p.Wait(t.Context(), "stay"); err == nil {
		t.Error("a container of a stopped pod can be waited for")
	}
	p.Stop()
}

// processesInside are those with the directory of a pod on their command lines, without the agent outside.
func processesInside(t *testing.T, dir string) (pids []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		text, err := os.ReadFile(line)
		if err == nil && strings.Contains(string(text), dir) && strings.HasPrefix(string(text), "runsc") && !strings.HasPrefix(string(text), "runsc\x00agent") {
			pids = append(pids, filepath.Base(filepath.Dir(line)))
		}
	}
	return pids
}

// run starts a container. The function that it returns waits for the end of its output.
func run(t *testing.T, p *pod.Pod, c pod.Container) (output func() string) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := p.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := p.StartContainer(t.Context(), c.ID, pod.Streams{nil, writer, writer}); err != nil {
		t.Fatal(err)
	}
	return func() string {
		defer reader.Close()
		content, _ := io.ReadAll(reader)
		return string(content)
	}
}

// execute runs this binary in the container that stays.
func execute(t *testing.T, p *pod.Pod, args ...string) (int, string) {
	t.Helper()
	return executeIn(t, p, "stay", args...)
}

func executeIn(t *testing.T, p *pod.Pod, container string, args ...string) (int, string) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	code, err := p.Exec(t.Context(), container, pod.Command{Args: append([]string{"/program"}, args...)}, pod.Streams{nil, writer, writer})
	_ = writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	content, _ := io.ReadAll(reader)
	return code, string(content)
}
