package kind

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// imageRegistry is a registry in this process that nodes reach at the gateway of their network, by HTTP.
type imageRegistry struct {
	address string // host:port
	server  *http.Server
	// manifests and blobs count what was asked for.
	manifests, blobs atomic.Int32
}

// newRegistry serves until the test ends.
func newRegistry(t *testing.T) *imageRegistry {
	t.Helper()
	gateway := ""
	for _, address := range strings.Fields(strings.Join(docker(t, "network", "inspect", "kind", "--format", "{{range .IPAM.Config}}{{println .Gateway}}{{end}}"), " ")) {
		if strings.Contains(address, ".") {
			gateway = address
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(gateway, "0"))
	if err != nil {
		t.Fatalf("listen where nodes can reach it: %v", err)
	}
	r := &imageRegistry{address: listener.Addr().String()}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	r.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch {
		case request.Method == http.MethodGet && strings.Contains(request.URL.Path, "/manifests/"):
			r.manifests.Add(1)
		case request.Method == http.MethodGet && strings.Contains(request.URL.Path, "/blobs/"):
			r.blobs.Add(1)
		}
		inner.ServeHTTP(w, request)
	})}
	go r.server.Serve(listener) //nolint:errcheck // it ends with the test
	t.Cleanup(r.stop)
	return r
}

func (r *imageRegistry) stop()       { _ = r.server.Close() }
func (r *imageRegistry) url() string { return "http://" + r.address }

// push stores an image and resets the request counts.
func (r *imageRegistry) push(t *testing.T, repositoryAndTag string, image v1.Image) {
	t.Helper()
	reference, err := name.ParseReference(r.address+"/"+repositoryAndTag, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := remote.Write(reference, image, remote.WithContext(ctx)); err != nil {
		t.Fatalf("push %s: %v", reference, err)
	}
	r.manifests.Store(0)
	r.blobs.Store(0)
}

// newImage builds an image of the echo program that no node has. Each mark makes a different image.
func newImage(t *testing.T, mark string) v1.Image {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "echo")
	t.Setenv("CGO_ENABLED", "0")
	if _, err := framework.Script(imageTimeout, "go", "build", "-trimpath", "-o", binary, "./hack/kind/images/echo"); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for path, content := range map[string][]byte{"echo": program, "mark": []byte(mark)} {
		if err := w.WriteHeader(&tar.Header{Name: path, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	image, err = mutate.Config(image, v1.Config{Entrypoint: []string{"/echo"}})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// pulled runs an image on a node that has to pull it, and checks that it runs.
func (f *fixture) pulled(t *testing.T, pod, node, image string) {
	t.Helper()
	f.kube("run", pod, "--image="+image, "--restart=Never", "--image-pull-policy=Always",
		fmt.Sprintf(`--overrides={"spec":{"nodeSelector":{"kubernetes.io/hostname":%q}}}`, node), "--", "print", "pulled", image)
	if got := f.ended(t, pod); got != "pulled "+image+"\n" {
		t.Errorf("output %q", got)
	}
}

// onMachine runs a command on the machine of a node.
func (f *fixture) onMachine(t *testing.T, node string, command ...string) string {
	t.Helper()
	return strings.Join(docker(t, append([]string{"exec", f.machineOf(t, node)}, command...)...), "\n")
}

func (f *fixture) machineOf(t *testing.T, node string) string {
	t.Helper()
	for _, machine := range f.machines(t) {
		if strings.HasSuffix(machine, node) {
			return machine
		}
	}
	t.Fatalf("node %s has no machine among %v", node, f.machines(t))
	return ""
}

// containerdPID changes when containerd is restarted.
func (f *fixture) containerdPID(t *testing.T, node string) string {
	t.Helper()
	return f.onMachine(t, node, "systemctl", "show", "--property=MainPID", "containerd.service")
}

// awaitOnMachine waits until a command on the machine of a node prints a text, or fails if that is empty.
func (f *fixture) awaitOnMachine(t *testing.T, node, text string, command ...string) {
	t.Helper()
	script := strings.Join(command, " ") + " 2>/dev/null || echo there is none"
	if text == "" {
		text = "there is none"
	}
	f.await(2*time.Minute, fmt.Sprintf("%q of %q on node %s", text, command, node), func() (bool, string) {
		said := f.onMachine(t, node, "sh", "-c", script)
		return strings.Contains(said, text), said
	})
}
