package containers

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

// mirrored is an image that is in the bundle and then only at the mirror.
const mirrored = "registry.invalid/test/mirrored:1"

const mirroredPod = `apiVersion: v1
kind: Pod
metadata: {name: mirrored}
spec:
  containers: [{name: c, image: %s, imagePullPolicy: Always, args: [name, "8080"], readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1}}]
`

// newSite starts an empty registry on this machine and returns its host.
func newSite(t *testing.T) string {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// pushed pushes the bundle, and removes an image of it from the landscape. Its pod runs then from the mirror or not at all.
func pushed(t *testing.T, f *fixture) {
	f.reader.Names = []string{"registry.example.org", f.site}
	f.reader.Follow(t, "the push of a bundle", follow.Example(t, "gardener bundle push --key bundle.key.pub landscape.bundle registry.example.org"))
	f.Gardener("image", "remove", mirrored)
	f.Kubectl(f.shoot, "apply", "-f", f.File("mirrored.yaml", fmt.Sprintf(mirroredPod, mirrored)))
	f.Kubectl(f.shoot, "wait", "--for=condition=Ready", "pod/mirrored", "--timeout=2m")
	f.Kubectl(f.shoot, "exec", "mirrored", "--", program, "exit", "0") // fails in a simulated container
	f.Kubectl(f.shoot, "delete", "pod/mirrored", "--now")
}
