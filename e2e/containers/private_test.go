package containers

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// The user of the private registry.
const privateUser, privatePassword = "alice", "confidential"

// privateMirror is the name of a registry of which the private one is listed as a mirror: nodes dial no others on this machine.
const privateMirror = "private.invalid"

// newPrivateSite starts an empty registry on this machine that asks for a user, and returns its host.
func newPrivateSite(t *testing.T) string {
	serve := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, secret, _ := r.BasicAuth(); user != privateUser || secret != privatePassword {
			w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

const privatePod = `apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  %s
  containers: [{name: c, image: %s, args: [name, "8080"]}]
`

// private is an image of the private registry.
func (f *fixture) private() string { return f.privateSite + "/test/private:1" }

// pullSecrets runs an image of the private registry in the pod that has the credentials, and in no other.
func pullSecrets(t *testing.T, f *fixture) {
	tag, err := name.NewTag(f.private())
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(writeImage(t, f.private(), "exit", "0"), &tag) // another image than those that are loaded
	if err == nil {
		err = remote.Write(tag, image, remote.WithAuth(authn.FromConfig(authn.AuthConfig{Username: privateUser, Password: privatePassword})))
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Kubectl(f.shoot, "create", "secret", "docker-registry", "private", "--docker-server="+f.privateSite, "--docker-username="+privateUser, "--docker-password="+privatePassword)
	f.Kubectl(f.shoot, "create", "secret", "docker-registry", "wrong", "--docker-server="+f.privateSite, "--docker-username="+privateUser, "--docker-password=wrong")
	runs := func(pod, spec string, want bool) {
		f.Kubectl(f.shoot, "apply", "-f", f.File(pod+".yaml", fmt.Sprintf(privatePod, pod, spec, f.private())))
		f.Kubectl(f.shoot, "wait", "--for=condition=Ready", "pod/"+pod, "--timeout=10m")
		r := f.TryKubectl(f.shoot, "exec", pod, "--", program, "exit", "0")
		if !want && (r.Code == 0 || !strings.Contains(r.Stderr, "is simulated: image could not be pulled")) {
			t.Errorf("pod %s: %d %s%s", pod, r.Code, r.Stdout, r.Stderr)
		}
		if want && r.Code != 0 {
			t.Errorf("pod %s does not run: %d %s", pod, r.Code, r.Stderr)
		}
	}
	runs("secretless", "", false)
	runs("mistaken", "imagePullSecrets: [{name: wrong}]", false)
	runs("private", "imagePullSecrets: [{name: private}]", true)
	runs("imitator", "nodeName: "+f.Kubectl(f.shoot, "get", "pod", "private", "-o", "jsonpath={.spec.nodeName}"), false) // where the image is
	f.Eventually(2*time.Minute, "a node has the image", func() (bool, string) {
		said := f.images()
		return strings.Contains(said, f.private()), said
	})
	f.Kubectl(f.shoot, "delete", "pod", "secretless", "mistaken", "private", "imitator", "--now")
}

// images are the names of all images on nodes: five for each image, digests before tags.
func (f *fixture) images() string {
	return f.Kubectl(f.shoot, "get", "nodes", "-o", "jsonpath={.items[*].status.images[*].names}")
}

// collected waits until no node has the image of the private registry any longer, and some node has another that pods use. The kubelet looks every five minutes,
// most of which have passed before.
func collected(t *testing.T, f *fixture) {
	f.Eventually(12*time.Minute, "the kubelets remove the image that no pod uses", func() (bool, string) {
		said := f.images()
		return !strings.Contains(said, f.private()), said
	})
	repository := strings.TrimSuffix(reference, ":1")
	if said := f.images(); !strings.Contains(said, repository+"@") {
		t.Errorf("an image that pods use is gone: %s", said)
	}
	if said := f.Gardener("image", "list"); strings.Contains(said, f.private()) {
		t.Errorf("the landscape has it still: %s", said)
	}
	if said := f.Kubectl(f.shoot, "exec", "web", "--", program, "get", "http://127.0.0.1:80"); said != "written by init" {
		t.Errorf("the server says %q", said)
	}
}
