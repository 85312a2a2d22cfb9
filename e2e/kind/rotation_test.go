package kind

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/poller"
)

var rotation = []step{
	{"CAR-14 all credentials rotate, and nodes are replaced", rotateCredentials, false},
}

// outage is how long the API server may be interrupted: the single etcd is restarted in each phase, and pulls nothing.
const outage = 3 * time.Minute

// rotateCredentials prepares and completes a rotation at once, as somebody in a hurry does. A client polls meanwhile.
func rotateCredentials(t *testing.T, f *fixture) {
	f.kube("create", "secret", "generic", "secret-0", "--from-literal=a=b")
	nodes, old := f.nodeNames(newVersion), f.File("old.yaml", f.Gardener("kubeconfig", "shoot", project+"/"+shootName))
	first := poller.Start(t, "a client with the old credentials while a rotation is prepared", old)
	f.rotate("--start", "Prepared")
	first.Stop(t, outage)
	f.noteVolumes(t)
	f.awaitNodes(t, 1, newVersion)
	if now := f.nodeNames(newVersion); len(now) != 1 || slices.Equal(now, nodes) {
		t.Errorf("nodes %v, before %v", now, nodes)
	}
	f.Shoot(project, shootName)
	second := poller.Start(t, "a client with the new credentials while the rotation is completed", f.kubeconfig())
	f.rotate("--complete", "Completed")
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

// rotate does one phase of the rotation of all credentials.
func (f *fixture) rotate(flag, phase string) {
	f.Gardener("shoot", "rotate", shootName, "-n", project, flag, "--timeout=10m")
	f.await(time.Minute, "the authorities are "+phase, func() (bool, string) {
		got := f.Kubectl(f.Garden(), "-n", project, "get", "shoot", shootName, "-o", "jsonpath={.status.credentials.rotation.certificateAuthorities.phase}")
		return got == phase, got
	})
}
