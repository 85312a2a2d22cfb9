package kind

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/poller"
)

var rotate = step{"CAR-14 a new version of Kubernetes and a rotation of all credentials replace the nodes once", rotateCredentials, false}

// rotation comes after the keys of otherTunnel, onlyRotation without them.
var (
	rotation     = []step{rotate, sshRefused}
	onlyRotation = []step{sshFirst, shrinks, rotate, sshSecond}
)

// outage is how long the API server may be interrupted: the single etcd is restarted in each phase, and pulls nothing.
const outage = 3 * time.Minute

// rotateCredentials updates Kubernetes and prepares a rotation in one operation, and completes the rotation at once, as somebody in a hurry
// does. A client polls meanwhile.
func rotateCredentials(t *testing.T, f *fixture) {
	f.kube("create", "secret", "generic", "secret-0", "--from-literal=a=b")
	nodes, old := f.nodeNames(""), f.File("old.yaml", f.Gardener("kubeconfig", "shoot", project+"/"+shootName))
	first := poller.Start(t, "a client with the old credentials while a rotation is prepared", old)
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", shootName, "--type=merge", "-p", fmt.Sprintf(
		`{"metadata":{"annotations":{"gardener.cloud/operation":"rotate-credentials-start"}},"spec":{"kubernetes":{"version":%q}}}`, newVersion))
	f.awaitRotation("Prepared")
	first.Stop(t, outage)
	f.ready()
	f.noteVolumes(t)
	f.awaitNodes(t, 1, newVersion)
	if server := f.kube("version"); !strings.Contains(server, "Server Version: v"+newVersion) {
		t.Errorf("the API server is not of %s: %s", newVersion, server)
	}
	if now := f.nodeNames(newVersion); len(now) != 1 || slices.Equal(now, nodes) {
		t.Errorf("nodes %v, before %v", now, nodes)
	}
	f.Shoot(project, shootName)
	second := poller.Start(t, "a client with the new credentials while the rotation is completed", f.kubeconfig())
	f.Gardener("shoot", "rotate", shootName, "-n", project, "--complete", "--timeout=10m")
	f.awaitRotation("Completed")
	second.Stop(t, outage)
	client := poller.Config(t, old)
	client.CAData = poller.Config(t, f.kubeconfig()).CAData
	if code := poller.Answer(t, client); code != http.StatusUnauthorized {
		t.Errorf("the old credentials are answered with %d", code)
	}
	f.ready()
	f.awaitNodes(t, 1, newVersion)
	if got := f.runPod(t, "rotated", "", "print", "after the rotation"); got != "after the rotation\n" {
		t.Errorf("output %q", got)
	}
	if got := f.kube("get", "secret", "secret-0", "-o", "jsonpath={.data.a}"); got != "Yg==" {
		t.Errorf("the secret is %q", got)
	}
}

// awaitRotation waits until the authorities of the shoot are in a phase of their rotation.
func (f *fixture) awaitRotation(phase string) {
	f.await(10*time.Minute, "the authorities are "+phase, func() (bool, string) {
		got := f.Kubectl(f.Garden(), "-n", project, "get", "shoot", shootName, "-o", "jsonpath={.status.credentials.rotation.certificateAuthorities.phase}")
		return got == phase, got
	})
}
