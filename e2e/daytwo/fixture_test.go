package daytwo

import (
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// fixture is the shoot.
type fixture struct {
	*framework.Landscape
	t     *testing.T
	shoot string // kubeconfig
}

// For returns the fixture for a subtest.
func (f *fixture) For(t *testing.T) *fixture {
	return &fixture{Landscape: f.Landscape.For(t), t: t, shoot: f.shoot}
}

func (f *fixture) get(kubeconfig string, args []string, path string) string {
	f.t.Helper()
	return strings.TrimSpace(f.Kubectl(kubeconfig, append(append([]string{"get"}, args...), "-o", "jsonpath="+path)...))
}

func (f *fixture) ofShoot(path string) string {
	f.t.Helper()
	return f.get(f.Garden(), []string{"-n", project, "shoot", "daytwo"}, path)
}

func (f *fixture) createObjects() {
	f.t.Helper()
	var manifest strings.Builder
	for i := range objects {
		fmt.Fprintf(&manifest, "---\napiVersion: v1\nkind: Secret\nmetadata: {name: secret-%d, namespace: default}\nstringData: {number: value-%d}\n", i, i)
		fmt.Fprintf(&manifest, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-%d, namespace: default}\ndata: {number: value-%d}\n", i, i)
	}
	f.Kubectl(f.shoot, "create", "-f", f.File("objects.yaml", manifest.String()))
}

// readable checks that every object has its content.
func (f *fixture) readable() {
	f.t.Helper()
	f.Kubectl(f.shoot, "get", "secrets,configmaps", "-A")
	for kind, path := range map[string]string{"secrets": "{range .items[*]}{.metadata.name}={.data.number} {end}", "configmaps": "{range .items[*]}{.metadata.name}={.data.number} {end}"} {
		got := strings.Fields(f.get(f.shoot, []string{"-n", "default", kind}, path))
		found := 0
		for _, one := range got {
			if name, value, _ := strings.Cut(one, "="); strings.HasPrefix(name, "secret-") || strings.HasPrefix(name, "config-") {
				if value != "" {
					found++
				}
			}
		}
		if found != objects {
			f.t.Errorf("%d of %d %s are readable", found, objects, kind)
		}
	}
}

// operate asks for an operation and waits until the shoot has done it.
func (f *fixture) operate(operation string) {
	f.t.Helper()
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", "daytwo", "gardener.cloud/operation="+operation)
}

// awaitPhases waits until the rotations of authorities, service account key and encryption key are in a phase.
func (f *fixture) awaitPhases(phase string, timeout time.Duration) {
	f.t.Helper()
	const path = "{.status.credentials.rotation.certificateAuthorities.phase} {.status.credentials.rotation.serviceAccountKey.phase} {.status.credentials.rotation.etcdEncryptionKey.phase}"
	f.Eventually(timeout, "all rotations are "+phase, func() (bool, string) {
		got := f.ofShoot(path)
		return got == strings.Join([]string{phase, phase, phase}, " "), got + ": " + f.ofShoot("{.status.lastOperation.description} {.status.lastErrors[*].description}")
	})
}

func certificates(bundle string) int {
	count := 0
	for block, rest := pem.Decode([]byte(bundle)); block != nil; block, rest = pem.Decode(rest) {
		count++
	}
	return count
}

func (f *fixture) sleep() {
	f.t.Helper()
	hibernate := func(enabled bool) {
		f.t.Helper()
		f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "daytwo", "--type=merge", "-p", fmt.Sprintf(`{"spec":{"hibernation":{"enabled":%t}}}`, enabled))
		f.Eventually(4*time.Minute, fmt.Sprintf("hibernated is %t", enabled), func() (bool, string) {
			got := f.ofShoot("{.status.hibernated} {.status.lastOperation.state} {.status.observedGeneration}")
			return got == fmt.Sprintf("%t Succeeded %s", enabled, f.ofShoot("{.metadata.generation}")), got
		})
	}
	f.Kubectl(f.shoot, "create", "deployment", "web", "--image=nginx")
	f.Kubectl(f.shoot, "rollout", "status", "deployment/web", "--timeout=10m")
	hibernate(true)
	if claims := strings.Fields(f.get(f.Seed(), []string{"-n", technical, "persistentvolumeclaims"}, "{.items[*].status.phase}")); len(claims) != 2 || claims[0] != "Bound" || claims[1] != "Bound" {
		f.t.Errorf("volumes of etcds are %v", claims)
	}
	if pods := f.get(f.Seed(), []string{"-n", technical, "pods"}, "{.items[*].metadata.name}"); strings.Contains(pods, "kube-apiserver") || strings.Contains(pods, "machine-") {
		f.t.Errorf("pods of a sleeping shoot: %s", pods)
	}
	hibernate(false)
	f.readable()
	f.Eventually(time.Minute, "the workload is back", func() (bool, string) {
		got := f.get(f.shoot, []string{"deployment", "web"}, "{.status.readyReplicas}")
		return got == "1", got
	})
}

// strict is a webhook for objects that nobody writes in this test, but that system components may have to.
const strict = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: strict}
webhooks:
- name: strict.example.org
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: [scheduling.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [priorityclasses]}]
  admissionReviewVersions: [v1]
  sideEffects: None
`

// stayAwake checks that hibernation is refused until the webhook is gone.
func (f *fixture) stayAwake() {
	f.t.Helper()
	const constraint = `{.status.constraints[?(@.type=="HibernationPossible")].status} {.status.constraints[?(@.type=="MaintenancePreconditionsSatisfied")].reason}`
	await := func(want string) {
		f.t.Helper()
		f.Eventually(90*time.Second, "the constraints are "+want, func() (bool, string) {
			got := f.ofShoot(constraint)
			return got == want, got
		})
	}
	await("False ProblematicWebhooks")
	r := f.TryKubectl(f.Garden(), "-n", project, "patch", "shoot", "daytwo", "--type=merge", "-p", `{"spec":{"hibernation":{"enabled":true}}}`)
	if r.Code == 0 || !strings.Contains(r.Stderr, "strict.example.org") {
		f.t.Errorf("hibernation is not refused: %s%s", r.Stdout, r.Stderr)
	}
	f.Kubectl(f.shoot, "delete", "validatingwebhookconfiguration", "strict")
	await("True NoProblematicWebhooks")
}
