package daytwo

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

const workerless = `---
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: %s, namespace: garden-local}
spec:
  cloudProfileName: local
  region: local
  kubernetes: {version: %s}
  provider: {type: local}
`

const withWorker = `---
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: %s, namespace: garden-local}
spec:
  cloudProfileName: local
  secretBindingName: local
  region: local
  kubernetes: {version: %s}
  networking: {type: calico, nodes: 10.10.0.0/16}
  provider:
    type: local
    workers:
    - {name: local, minimum: 1, maximum: 1, machine: {type: local, image: {name: local, version: 1.0.0}}}
`

// kill ends the daemon in the middle of what it does, and starts it again.
func kill(t *testing.T, l *framework.Landscape) {
	t.Helper()
	if err := syscall.Kill(l.Daemon(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.Eventually(time.Minute, "all processes die with the daemon", func() (bool, string) {
		left := l.Processes()
		return len(left) == 0, fmt.Sprint(left)
	})
	l.Gardener("up")
}

// deleteInTheMiddle deletes other shoots than that of TestDayTwo, while a phase of their rotation is in progress. The daemon is killed once while a
// rotation is being prepared, and goes on with it.
func deleteInTheMiddle(t *testing.T, l *framework.Landscape) {
	phases := []string{"preparing", "completing"}
	var manifest strings.Builder
	for _, phase := range phases {
		fmt.Fprintf(&manifest, workerless, phase, kubeversion.Number)
	}
	fmt.Fprintf(&manifest, withWorker, "forced", kubeversion.Number)
	l.Kubectl(l.Garden(), "create", "-f", l.File("shoots.yaml", manifest.String()))
	for _, phase := range phases {
		l.Gardener("shoot", "wait", phase, "-n", project, "--timeout=10m")
	}
	t.Run("GLT-34 a deletion that is stuck can be forced", func(t *testing.T) { force(t, l.For(t)) })
	t.Run("GLT-34 a shoot can be deleted at any moment of its creation", func(t *testing.T) { abort(t, l.For(t)) })
	operate := func(shoot, operation string) {
		l.Kubectl(l.Garden(), "-n", project, "annotate", "shoot", shoot, "gardener.cloud/operation="+operation)
	}
	await := func(shoot, phase string) {
		l.Eventually(5*time.Minute, shoot+" is "+phase, func() (bool, string) {
			got := l.Kubectl(l.Garden(), "-n", project, "get", "shoot", shoot, "-o", "jsonpath={.status.credentials.rotation.etcdEncryptionKey.phase}")
			return got == phase, got
		})
	}
	for _, phase := range phases {
		operate(phase, "rotate-credentials-start")
	}
	await("preparing", "Preparing")
	remove(l, "preparing")
	kill(t, l)
	await("completing", "Prepared")
	operate("completing", "rotate-credentials-complete")
	await("completing", "Completing")
	remove(l, "completing")
	for _, phase := range phases {
		t.Run("CAR-4 GLT-34 a shoot whose rotation is "+phase+" can be deleted", func(t *testing.T) {
			own := l.For(t)
			own.Eventually(4*time.Minute, "it is gone", func() (bool, string) {
				r := own.TryKubectl(l.Garden(), "-n", project, "get", "shoot", phase, "-o", "jsonpath={.status.lastOperation} {.status.lastErrors}")
				return r.Code != 0 && strings.Contains(r.Stderr, "NotFound"), r.Stdout + r.Stderr
			})
		})
	}
}
