package rows

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const seedAdmission = "gardener-seed-admission-controller"

// inGarden reads a field of an object in the garden namespace of the seed.
func (f *fixture) inGarden(path string, object ...string) string {
	return f.get(f.Seed(), append([]string{"-n", "garden", "get"}, object...), path)
}

func (f *fixture) admissionAvailable() {
	f.Eventually(2*time.Minute, "the seed's admission is available", func() (bool, string) {
		got := f.inGarden("{.status.availableReplicas}/{.spec.replicas}", "deployment", seedAdmission)
		return got == "1/1", got
	})
}

// admissionDeployment checks what the gardenlet deploys, and calls it through the API server.
func admissionDeployment(t *testing.T, f *fixture) {
	f.admissionAvailable()
	const services = "{range .webhooks[*]}{.clientConfig.service.namespace}/{.clientConfig.service.name} {.failurePolicy}{.clientConfig.url} {end}"
	got := f.get(f.Seed(), []string{"get", "validatingwebhookconfiguration", seedAdmission}, services)
	if want := strings.Repeat("garden/"+seedAdmission+" Fail ", 2); got != want {
		t.Errorf("webhooks are at %q, want %q", got, want)
	}
	if got := f.inGarden("{.spec.selector.app}", "service", seedAdmission); got != seedAdmission {
		t.Errorf("the Service selects %q", got)
	}
	if got := f.inGarden("{.items[*].status.podIP}", "pods", "-l", "app="+seedAdmission); !strings.HasPrefix(got, "127.") || strings.HasPrefix(got, "127.0.") {
		t.Errorf("the pod has the address %q, want one of its own", got)
	}

	f.Kubectl(f.Seed(), "create", "-f", f.File("infrastructure.yaml", fmt.Sprintf(`
apiVersion: extensions.gardener.cloud/v1alpha1
kind: Infrastructure
metadata: {name: unused, namespace: %s}
spec: {type: nobody, region: local, secretRef: {name: none, namespace: %[1]s}}
`, technical)))
	remove := []string{"-n", technical, "delete", "infrastructure", "unused", "--timeout=10m"}
	if r := f.TryKubectl(f.Seed(), remove...); r.Code == 0 || !strings.Contains(r.Stderr, `deletion of Infrastructure "unused" is not confirmed`) {
		t.Errorf("not confirmed: %d %s", r.Code, r.Stderr)
	}
	if log := f.Kubectl(f.Seed(), "-n", "garden", "logs", "deployment/"+seedAdmission); !strings.Contains(log, "Webhooks are registered and served") || !strings.Contains(log, `"name":"unused"`) {
		t.Errorf("its log:\n%s", log)
	}
	if r := f.TryKubectl(f.Seed(), "-n", "garden", "exec", "deployment/"+seedAdmission, "--", "ls"); r.Code == 0 || !strings.Contains(r.Stderr, "is a task in the process of its node") {
		t.Errorf("exec: %d %s", r.Code, r.Stderr)
	}
	f.Kubectl(f.Seed(), "-n", technical, "annotate", "infrastructure", "unused", "confirmation.gardener.cloud/deletion=true")
	f.Kubectl(f.Seed(), remove...)
}

// admissionComesBack removes the pod: first for a moment, then for longer.
func admissionComesBack(t *testing.T, f *fixture) {
	running := func() string { return f.inGarden("{.items[*].metadata.name}", "pods", "-l", "app="+seedAdmission) }
	old := running()
	f.Kubectl(f.Seed(), "-n", "garden", "delete", "pod", old, "--timeout=10m")
	f.admissionAvailable()
	if now := running(); strings.Contains(now, old) || now == "" {
		t.Errorf("pods %q, want another than %q", now, old)
	}
	refusal := func(want string) func() (bool, string) {
		return func() (bool, string) {
			r := f.TryKubectl(f.Seed(), "delete", "crd", "infrastructures.extensions.gardener.cloud")
			return r.Code != 0 && strings.Contains(r.Stderr, want), r.Stderr
		}
	}
	f.Eventually(time.Minute, "it answers again", refusal("is not confirmed"))

	scale := func(replicas string) {
		f.Kubectl(f.Seed(), "-n", "garden", "scale", "deployment", seedAdmission, "--replicas="+replicas)
	}
	f.Eventually(time.Minute, "nothing protected goes while nobody answers", func() (bool, string) {
		scale("0") // the gardenlet scales it up again
		return refusal("failed calling webhook")()
	})
	scale("1")
	f.admissionAvailable()
	f.Eventually(time.Minute, "it answers again", refusal("is not confirmed"))
	f.Eventually(2*time.Minute, "the seed tells that its components are healthy", func() (bool, string) {
		got := f.get(f.Garden(), []string{"get", "seed", "local"}, `{.status.conditions[?(@.type=="SeedSystemComponentsHealthy")].status}`)
		return got == "True", got
	})
}
